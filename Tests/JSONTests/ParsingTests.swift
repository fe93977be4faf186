import Testing
import WaypostCore

@testable import JSON

@Suite("Parsing JSON")
struct ParsingTests {
    @Test(
        "A document of any kind is read",
        arguments: [
            ("null", .null), ("true", .boolean(true)), ("false", .boolean(false)),
            ("0", .integer(0)), ("-0", .integer(0)), ("-12", .integer(-12)),
            ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
            ("0.0", .real(0)), ("1.5", .real(1.5)), ("1e2", .real(100)), ("1E+2", .real(100)),
            ("-2.5e-1", .real(-0.25)), ("1.0", .real(1)), ("\"\"", .string("")),
            ("[]", .array([])), ("{}", .members([:])), (" \t\r\n[ 1 , 2 ] ", .array([1, 2])),
            ("[[],{}]", .array([.array([]), .members([:])])),
            (#"{"a":{"b":[null]}}"#, .members(["a": .members(["b": .array([.null])])])),
        ] as [(String, JSONValue)])
    func document(text: String, expected: JSONValue) throws {
        #expect(try JSONValue(parsing: text) == expected)
    }

    @Test(
        "A JSON string is parsed with its escapes",
        arguments: [
            (#""a\"\\\/b""#, "a\"\\/b"), (#""\b\f\n\r\t""#, "\u{8}\u{C}\n\r\t"),
            (#""\u0041\u00e9\u00E9""#, "Aéé"), (#""\ud83d\udcda""#, "📚"), ("\"📚é\"", "📚é"),
            (#""\u0000""#, "\0"), (#""a\u0000b""#, "a\0b"), ("\"\u{7F}\"", "\u{7F}"),
            ("\"e\u{301}\"", "e\u{301}"),
        ])
    func string(text: String, expected: String) throws {
        guard case .string(let string) = try JSONValue(parsing: text) else {
            Issue.record("not a string")
            return
        }
        // Scalar by scalar: == takes é and e with an accent for the same.
        #expect(Array(string.unicodeScalars) == Array(expected.unicodeScalars))
    }

    @Test(
        "A plain YAML scalar is a number only if the number is finite",
        arguments: [
            ("12", .integer(12)), ("1e2", .real(100)), ("1e999", .string("1e999")),
            ("-1e999", .string("-1e999")), ("1.e", .string("1.e")),
        ] as [(String, JSONValue)])
    func plainScalar(text: String, expected: JSONValue) {
        #expect(JSONValue(plainScalar: text) == expected)
    }

    @Test("Members stay in the order of the document, and are found by name")
    func order() throws {
        let names = (0..<100).map { "\(($0 * 37) % 100)" }
        let text = "{" + names.map { "\"\($0)\":\($0)" }.joined(separator: ",") + "}"
        guard case .object(let object) = try JSONValue(parsing: text) else {
            Issue.record("not an object")
            return
        }
        #expect(object.members.map(\.name) == names)
        #expect(object["37"] == .integer(37))
        #expect(object["100"] == nil)
    }

    @Test("The name of each kind has its article")
    func kinds() throws {
        let array = try JSONValue(parsing: #"[null, true, 1, 1.5, "", [], {}]"#)
        guard case .array(let values) = array else {
            Issue.record("not an array")
            return
        }
        let kinds = [
            "null", "a boolean", "an integer", "a number", "a string", "an array", "an object",
        ]
        #expect(values.map(\.kind) == kinds)
    }
}
