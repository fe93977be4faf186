import Testing
import WaypostCore

@testable import JSON

@Suite("Depth of JSON")
struct DepthTests {
    private static func nested(_ depth: Int, _ open: String, _ close: String) -> [UInt8] {
        Array(
            (String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth))
                .utf8)
    }

    @Test(
        "32 levels are read and 33 are refused, of arrays, of objects and of both",
        arguments: [("[", "]", 1), (#"{"a":"#, "}", 1), (#"[{"a":"#, "}]", 2)])
    func limit(open: String, close: String, levels: Int) throws {
        let fits = Self.nested(32 / levels, open, close)
        #expect(throws: Never.self) { try JSONValue(parsing: fits, maximumDepth: 32) }
        let deeper = Array("[".utf8) + fits + Array("]".utf8)
        let error = try #require(refusal(of: deeper))
        #expect(error.reason.contains("32"))
    }

    @Test("The depth of JSON counts levels, not brackets")
    func width() {
        let wide = "[" + String(repeating: "[[]],", count: 1000) + "{}]"
        #expect(throws: Never.self) { try JSONValue(parsing: Array(wide.utf8), maximumDepth: 3) }
        #expect(throws: JSONSyntaxError.self) {
            try JSONValue(parsing: Array(wide.utf8), maximumDepth: 2)
        }
    }

    @Test("A JSON value that is no container has depth 0", arguments: ["1", "\"a\"", "null"])
    func scalars(text: String) {
        #expect(throws: Never.self) { try JSONValue(parsing: Array(text.utf8), maximumDepth: 0) }
    }

    @Test(
        "100,000 brackets are refused without the stack running over", arguments: ["[", #"{"a":"#])
    func manyBrackets(open: String) {
        #expect(refusal(of: Self.nested(100_000, open, "")) != nil)
    }
}
