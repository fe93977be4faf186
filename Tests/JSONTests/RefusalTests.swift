import Testing
import WaypostCore

@testable import JSON

@Suite("Refusing what is not JSON")
struct RefusalTests {
    @Test(
        "JSON that RFC 8259 does not allow is refused",
        arguments: [
            // Commas and brackets
            "[1,]", "[,1]", "[1,,2]", #"{"a":1,}"#, #"{,"a":1}"#, "[1 2]", "[", "]", "[1}", "{",
            #"{"a"}"#, #"{"a":}"#, #"{"a" 1}"#, "[] []", "1 2", "{}x", #"{"a":1 "b":2}"#,
            // Names
            "{a:1}", "{'a':1}", "{1:1}", "{null:1}",
            // Numbers
            "01", "-01", "00", "+1", ".5", "1.", "-", "1e", "1e+", "0x10", "1_000", "NaN", "nan",
            "Infinity", "-Infinity", "[NaN]", "١",
            // Words
            "True", "nul", "undefined", "nulll", "a",
            // Strings
            "\"", "'a'", "\"a\nb\"", "\"a\tb\"", "\"a\0b\"", #""\x41""#, #""\a""#, #""\u12""#,
            #""\u12G4""#, #""\"#,
            // Comments, a byte order mark, blanks that are none of JSON's
            "[1] // one", "/* one */ 1", "#", "\u{FEFF}1", "\u{A0}1", "\u{B}1", "",
        ])
    func notJSON(text: String) {
        #expect(refusal(of: text) != nil)
    }

    @Test(
        "The reason cites nothing of the text: it may be a password",
        arguments: [
            #"{"password": "hunter22""#, #"{"password": "hunter22" "x": 1}"#, #"{"hunter22"}"#,
            #"{"password": hunter22}"#, #"{"password": 'hunter22'}"#, "hunter22", "{hunter22: 1}",
            #"{"password": "hunter22\x"}"#, "{\"password\": \"hunter22\n\"}",
            #"{"password": "\uhunter22"}"#, #"{"password": "\ud800\uhunter22"}"#,
            #"{"hunter22": 1, "hunter22": 2}"#, #"{"password": "hunter22"} hunter22"#,
            #"{"password": "' near 'hunter22'"'hunter22'}"#, #"{"password": 0hunter22}"#,
            #"{"password": "hunter22"#, #"{"password": hunter22 near end of file"#,
        ])
    func citation(text: String) throws {
        let reason = try #require(refusal(of: text)).reason
        #expect(!reason.isEmpty)
        #expect(!reason.contains("hun"))
    }

    @Test(
        "Half of a surrogate pair is refused",
        arguments: [
            #""\ud800""#, #""\ud83d""#, #""\udc00""#, #""\ud83dx""#, #""\ud83d\n""#,
            #""\ud83d\ud83d""#, #""\ud83d\u0041""#, #""\udcda\ud83d""#,
        ])
    func loneSurrogate(text: String) {
        #expect(refusal(of: text) != nil)
    }

    @Test(
        "JSON that is not UTF-8 is refused, in strings and outside",
        arguments: [
            [0x22, 0xFF, 0x22], [0x22, 0xC3, 0x22], [0x22, 0x80, 0x22], [0x22, 0xC0, 0xAF, 0x22],
            [0x22, 0xED, 0xA0, 0x80, 0x22], [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22],
            [0x22, 0xF0, 0x80, 0x80, 0xAF, 0x22], [0xFF], [0x31, 0xFF], [0xFE, 0xFF, 0x00, 0x31],
        ] as [[UInt8]])
    func notUTF8(bytes: [UInt8]) {
        #expect(refusal(of: bytes) != nil)
    }

    @Test(
        "A name that is there twice is refused, however it is written",
        arguments: [
            #"{"a":1,"a":1}"#, #"{"a":1,"b":2,"a":3}"#, #"{"a":1,"\u0061":2}"#, #"{"":1,"":2}"#,
            #"[{"x":{"a":1,"a":2}}]"#, #"{"é":1,"\u00e9":2}"#,
        ])
    func duplicateName(text: String) {
        #expect(refusal(of: text)?.reason.contains("duplicate") == true)
    }

    @Test("Names that only look alike are two names")
    func differentNames() throws {
        let text = "{\"a\":1,\"A\":2,\"\u{E9}\":3,\"e\u{301}\":4}"
        guard case .object(let object) = try JSONValue(parsing: text) else {
            Issue.record("not an object")
            return
        }
        #expect(object.members.count == 4)
    }

    @Test("A member name with NUL is refused", arguments: [#"{"\u0000":1}"#, #"{"a\u0000b":1}"#])
    func nulInName(text: String) {
        #expect(refusal(of: text) != nil)
    }

    @Test(
        "A number beyond 64 bits is refused",
        arguments: [
            "9223372036854775808", "-9223372036854775809", "18446744073709551616", "1e309",
            "-1e400", "[1, 123456789012345678901234567890]",
        ])
    func bigNumber(text: String) {
        #expect(refusal(of: text) != nil)
    }

    @Test("In the body of a request, numbers beyond 64 bits are read as large ones")
    func largeNumbers() throws {
        let text = """
            {"a": 9223372036854775808, "b": [-1e400,9223372036854775807], "ç": "é 1e400 1e400",
             "d": -92233720368547758080}
            """
        let value = try JSONValue(parsingBody: Array((" " + text).utf8)[1...], maximumDepth: 2)
        #expect(
            value
                == .members([
                    "a": .real(1e99), "b": .array([.real(-1e99), .integer(.max)]),
                    "ç": .string("é 1e400 1e400"), "d": .real(-1e99),
                ]))
        for text in ["1e309", " -9e308", "\r\n1e309 ", "18446744073709551616"] {
            let value = try JSONValue(parsingBody: Array(text.utf8)[...], maximumDepth: 2)
            #expect(value == .real(text.contains("-") ? -1e99 : 1e99))
        }
        let many = Array(repeating: "1e400", count: 1000).joined(separator: ",")
        for text in ["[1e400, 1e400x]", "[1e400", "[\(many)]"] {
            #expect(throws: JSONSyntaxError.self) {
                try JSONValue(parsingBody: Array(text.utf8)[...], maximumDepth: 2)
            }
        }
    }

    @Test(
        "A refusal names line and column, counted from 1 and in characters",
        arguments: [
            ("[1,]", 1, 4), ("{\n  \"a\": 1,\n}", 3, 1), ("[\n1\n2\n]", 3, 1),
            ("{\"é\": nope}", 1, 10), ("[\"📚\", x]", 1, 7), ("\r\n\n  ?", 3, 3), ("", 1, 1),
            ("[1", 1, 2),
        ])
    func place(text: String, line: Int, column: Int) throws {
        let error = try #require(refusal(of: text))
        #expect(error.place?.line == line)
        #expect(error.place?.column == column)
        #expect(!error.reason.isEmpty)
    }
}
