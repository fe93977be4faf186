import Foundation
import TestSupport
import Testing
import WaypostCore

@testable import JSON

@Suite("Writing JSON")
struct JSONWriterTests {
    /// - Parameter capacity: how many bytes there is room for at first.
    private func written(
        capacity: Int = 2048, _ write: (inout JSONWriter) -> Void
    ) -> String {
        var json = JSONWriter(capacity: capacity)
        write(&json)
        return String(decoding: json.bytes, as: UTF8.self)
    }

    // MARK: Strings

    @Test(
        "Quotes, backslashes and the controls that have a letter are escaped by it",
        arguments: [
            ("\"", #"\""#), ("\\", #"\\"#), ("\u{8}", #"\b"#), ("\t", #"\t"#), ("\n", #"\n"#),
            ("\u{C}", #"\f"#), ("\r", #"\r"#), ("a\"b\\c", #"a\"b\\c"#), ("\r\n", #"\r\n"#),
        ])
    func escapes(text: String, expected: String) {
        #expect(written { $0.string(text) } == "\"\(expected)\"")
    }

    @Test("Every control character without a letter of its own is escaped by its number")
    func controls() {
        for code in UInt8(0)..<0x20 where ![0x08, 0x09, 0x0A, 0x0C, 0x0D].contains(code) {
            let text = String(Unicode.Scalar(code))
            let digits = (code < 16 ? "0" : "") + String(code, radix: 16)
            #expect(written { $0.string("a\(text)b") } == "\"a\\u00\(digits)b\"")
        }
    }

    @Test(
        "Characters that JSON need not escape are written unchanged",
        arguments: ["", "a/b", "é", "e\u{301}", "📚", "\u{7F}", "\u{2028}", "'<&>", "Лев 村上"])
    func untouched(text: String) {
        #expect(Array(written { $0.string(text) }.utf8) == Array("\"\(text)\"".utf8))
    }

    @Test("Every ASCII character, at every place of short and long texts, is read as it was")
    func everywhere() throws {
        // The writer treats each byte alike. The compiler may join bytes, so that the lengths are
        // those around the ends of 8 and 16 bytes.
        for length in [1, 7, 8, 9, 15, 16, 17] {
            for place in 0..<length {
                for code in UInt8(0)..<0x80 {
                    var bytes = [UInt8](repeating: UInt8(ascii: "a"), count: length)
                    bytes[place] = code
                    let text = String(decoding: bytes, as: UTF8.self)
                    let json = Array(written { $0.string(text) }.utf8)
                    let value = try JSONValue(parsing: json, maximumDepth: 1)
                    guard value == .string(text) else {
                        Issue.record("\(code) at \(place) of \(length): \(json)")
                        return
                    }
                }
            }
        }
    }

    @Test("Integers of every length are written in full")
    func everyLength() {
        var power = 1
        for _ in 0..<19 {
            for value in [power - 1, power, power + 1, power &* 9 / 2, -power] {
                #expect(written { $0.integer(value) } == "\(value)")
            }
            power &*= 10
        }
    }

    @Test("A text longer than the writer's buffer makes the buffer grow")
    func room() {
        for length in 0...100 {
            for before in 0..<10 {
                var json = JSONWriter(capacity: 64)
                json.array(0..<before) { json, number in json.integer(number) }
                json.string(String(repeating: "x", count: length))
                json.string(ofASCII: length) { $0.update(repeating: UInt8(ascii: "y")) }
                let head = "[\((0..<before).map(String.init).joined(separator: ","))]"
                let texts = ["x", "y"].map { "\"\(String(repeating: $0, count: length))\"" }
                #expect(
                    String(decoding: json.bytes, as: UTF8.self)
                        == ([head] + texts).joined(separator: ","))
            }
        }
    }

    @Test("A name that is known only at run time is escaped")
    func name() {
        let text = written { json in
            json.object { json in
                json.name(escaping: "a\"\n")
                json.null()
            }
        }
        #expect(text == #"{"a\"\n":null}"#)
    }

    // MARK: Numbers

    @Test(
        "Integers are written in full",
        arguments: [
            (0, "0"), (7, "7"), (10, "10"), (-1, "-1"), (-100, "-100"),
            (Int.max, "9223372036854775807"), (Int.min, "-9223372036854775808"),
        ])
    func integers(value: Int, expected: String) {
        #expect(written { $0.integer(value) } == expected)
    }

    @Test(
        "Real numbers are read as the same number again",
        arguments: [
            0.0, -0.0, 1, 0.1, -2.5, 1e21, 1e-7, .pi, .greatestFiniteMagnitude,
            .leastNonzeroMagnitude,
        ] as [Double])
    func reals(value: Double) throws {
        guard case .real(let read) = try JSONValue(parsing: written { $0.real(value) }) else {
            Issue.record("not a real number")
            return
        }
        #expect(read.bitPattern == value.bitPattern)
    }

    // MARK: Containers

    @Test("Empty containers have nothing between their brackets")
    func empty() {
        #expect(written { $0.object { _ in } } == "{}")
        #expect(written { $0.array([Int]()) { $0.integer($1) } } == "[]")
    }

    @Test("Commas stand between members and elements, and nowhere else")
    func commas() {
        let text = written { json in
            json.object { json in
                json.member("a", "x")
                json.name("b")
                json.array([[1, 2], [], [3]]) { json, row in
                    json.array(row) { $0.integer($1) }
                }
                json.name("c")
                json.object { _ in }
                json.name("d")
                json.object { $0.member("e", true) }
                json.member("f", -1)
            }
        }
        #expect(text == #"{"a":"x","b":[[1,2],[],[3]],"c":{},"d":{"e":true},"f":-1}"#)
    }

    @Test("Values of all kinds follow one another in an array")
    func mixed() {
        let writes: [(inout JSONWriter) -> Void] = [
            { $0.null() }, { $0.boolean(false) }, { $0.boolean(true) }, { $0.integer(1) },
            { $0.real(1.5) }, { $0.string("a") }, { $0.object { _ in } },
            { $0.array([0]) { $0.integer($1) } }, { $0.null() },
        ]
        let text = written { $0.array(writes) { $1(&$0) } }
        #expect(text == #"[null,false,true,1,1.5,"a",{},[0],null]"#)
    }

    @Test("A member is a name and a value of its kind; no string is null")
    func members() {
        let text = written { json in
            json.object { json in
                json.member("string", "a")
                json.member("none", nil as String?)
                json.member("integer", 1)
                json.member("boolean", false)
                json.member("text", text: "b")
                json.member("strings", ["a", "b\n"])
                json.member("empty", [])
            }
        }
        let expected = #"""
            {"string":"a","none":null,"integer":1,"boolean":false,"text":"b",\#
            "strings":["a","b\n"],"empty":[]}
            """#
        #expect(text == expected)
    }

    @Test("The writer's buffer grows for any number of texts")
    func texts() {
        for count in 0..<40 {
            var json = JSONWriter(capacity: 64)
            json.object { json in
                for _ in 0..<count { json.member("name", text: "viewDidLoad") }
            }
            let members = Array(repeating: #""name":"viewDidLoad""#, count: count)
            #expect(
                String(decoding: json.bytes, as: UTF8.self)
                    == "{\(members.joined(separator: ","))}")
        }
    }
}
