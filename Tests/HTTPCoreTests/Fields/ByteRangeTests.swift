import Testing

@testable import HTTPCore

@Suite("Byte ranges")
struct ByteRangeTests {
    @Test(
        "A Range field selects bytes of a ten-byte representation, is unsatisfiable or is ignored",
        arguments: [
            ("bytes=0-4", .part(0..<5)), ("bytes=5-5", .part(5..<6)), ("bytes=0-9", .part(0..<10)),
            ("bytes=0-10", .part(0..<10)), ("bytes=9-99", .part(9..<10)),
            ("bytes=00-004", .part(0..<5)), ("bytes= 0-4 ", .part(0..<5)),
            // Ranges without an end
            ("bytes=0-", .part(0..<10)), ("bytes=9-", .part(9..<10)),
            // Ranges of the last bytes
            ("bytes=-1", .part(9..<10)), ("bytes=-10", .part(0..<10)), ("bytes=-11", .part(0..<10)),
            // Numbers that exceed 64 bits
            ("bytes=1-99999999999999999999", .part(1..<10)),
            ("bytes=-99999999999999999999", .part(0..<10)),
            ("bytes=9223372036854775807-", .notSatisfiable),
            ("bytes=99999999999999999999-", .notSatisfiable),
            ("bytes=99999999999999999999-99999999999999999999", .notSatisfiable),
            // Ranges beyond the end
            ("bytes=10-", .notSatisfiable), ("bytes=10-11", .notSatisfiable),
            ("bytes=-0", .notSatisfiable),
            // Malformed ranges
            ("bytes=4-3", .whole), ("bytes=", .whole), ("bytes=-", .whole), ("bytes=5", .whole),
            ("bytes=a-b", .whole), ("bytes=0-b", .whole), ("bytes=a-4", .whole),
            ("bytes=0--4", .whole), ("bytes=+0-4", .whole), ("bytes=0x0-4", .whole),
            ("bytes=٠-٤", .whole), ("bytes=0 - 4", .whole), ("bytes 0-4", .whole), ("", .whole),
            // Other units, and lists of ranges
            ("lines=0-4", .whole), ("bytes=0-1,3-4", .whole), ("bytes=0-1, -1", .whole),
        ] as [(String, ByteRange)])
    func range(field: String, expected: ByteRange) {
        #expect(ByteRange(field, size: 10) == expected)
    }

    @Test("A request without a Range field gets the whole representation")
    func noField() {
        #expect(ByteRange(nil, size: 10) == .whole)
    }

    @Test(
        "No range of an empty representation is satisfiable",
        arguments: ["bytes=0-", "bytes=0-0", "bytes=-1"])
    func empty(field: String) {
        #expect(ByteRange(field, size: 0) == .notSatisfiable)
    }
}
