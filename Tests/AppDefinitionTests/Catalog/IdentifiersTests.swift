import Testing

@testable import AppDefinition

@Suite("Identifiers")
struct IdentifiersTests {
    @Test(
        "Ids are unique, and a name keeps its own slug even if a repeated name precedes it",
        arguments: [
            (["A", "B"], ["a", "b"]), (["A", "A", "a"], ["a", "a-2", "a-3"]),
            (["A", "A", "A 2"], ["a", "a-3", "a-2"]), (["A 2", "A", "A"], ["a-2", "a", "a-3"]),
            (["A", "A", "A 2", "A 2"], ["a", "a-3", "a-2", "a-2-2"]),
            (["🙂", "X", "…"], ["x", "x-2", "x-3"]), ([], []),
        ])
    func unique(names: [String], expected: [String]) {
        let ids = Identifiers.unique(for: names, orElse: "x")
        #expect(Set(ids).count == names.count)
        #expect(ids == expected)
    }

    @Test("Ids for 100,000 equal names and as many suffixed names do not take quadratic time")
    func many() {
        let names =
            Array(repeating: "A", count: 50_000) + (2...50_001).map { "A \($0)" }
        let ids = Identifiers.unique(for: names, orElse: "x")
        #expect(Set(ids).count == names.count)
        #expect(ids[1] == "a-50002")
    }
}
