import Testing

@testable import Sessions

@Suite("Two-generation cache")
struct TwoGenerationCacheTests {
    private func keys(of table: TwoGenerationCache<Int, Int>, upTo count: Int) -> [Int] {
        (0..<count).filter { table[$0] != nil }
    }

    @Test(
        "A two-generation cache never has more entries than its limit",
        arguments: [1, 2, 3, 10, 11, 100])
    func bound(limit: Int) {
        var table = TwoGenerationCache<Int, Int>(limit: limit)
        for key in 0..<5 * limit + 5 {
            table[key] = -key
            #expect(keys(of: table, upTo: key + 1).count <= limit)
        }
    }

    @Test(
        "A two-generation cache keeps at least the latest half of its limit",
        arguments: [2, 3, 10, 11, 100])
    func recent(limit: Int) {
        var table = TwoGenerationCache<Int, Int>(limit: limit)
        for key in 0..<5 * limit {
            table[key] = -key
            for recent in max(0, key - limit / 2 + 1)...key { #expect(table[recent] == -recent) }
        }
    }

    @Test("A two-generation cache keeps an entry that is set repeatedly")
    func used() {
        var table = TwoGenerationCache<Int, Int>(limit: 10)
        table[-1] = 0
        for key in 0..<1000 {
            table[key] = key
            if key.isMultiple(of: 3) { table[-1] = (table[-1] ?? -1000) + 1 }
        }
        #expect(table[-1] == 334)
    }

    @Test(
        "A two-generation cache drops an entry that is set to nil, new or old",
        arguments: [0, 1, 2, 3, 4])
    func forget(others: Int) {
        var table = TwoGenerationCache<Int, Int>(limit: 10)
        table[-1] = 1
        for key in 0..<others { table[key] = key }
        table[-1] = nil
        #expect(table[-1] == nil)
        #expect(keys(of: table, upTo: 5).count == others)
    }
}
