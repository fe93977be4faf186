import Foundation
import TestSupport
import Testing

@testable import AppDefinition

@Suite("Formats of a property list")
struct PropertyListFormatTests {
    static var everyKind: [String: Any] {
        [
            "string": "Brontë 📚", "one": 1, "negative": -7, "large": Int.max, "whole": 1.0,
            "real": 1.5, "yes": true, "no": false, "array": ["a", 2] as [Any],
            "empty": [String: Any](), "data": Data([0, 255]),
            "date": Date(timeIntervalSinceReferenceDate: 86_400),
        ]
    }

    @Test(
        "The kinds of all values in XML and binary files by Foundation are kept",
        arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
    func kinds(format: PropertyListSerialization.PropertyListFormat) throws {
        let data = try PropertyListSerialization.data(
            fromPropertyList: Self.everyKind, format: format, options: 0)
        let expected: PropertyList = .dictionary([
            "string": .string("Brontë 📚"), "one": .integer(1), "negative": .integer(-7),
            "large": .integer(.max), "whole": .real(1), "real": .real(1.5), "yes": .boolean(true),
            "no": .boolean(false), "array": .array([.string("a"), .integer(2)]),
            "empty": .dictionary([:]), "data": .data(Data([0, 255])),
            "date": .date(Date(timeIntervalSinceReferenceDate: 86_400)),
        ])
        #expect(try PropertyList(bytes: [UInt8](data), admittingJSON: nil) == expected)
    }

    @Test("A JSON file keeps the kinds of all values, including null")
    func json() throws {
        let text = #"{"a": [true, 1, 1.5, null, "x", -3], "b": {}}"#
        let array: [PropertyList] = [
            .boolean(true), .integer(1), .real(1.5), .null, .string("x"), .integer(-3),
        ]
        let expected = PropertyList.dictionary(["a": .array(array), "b": .dictionary([:])])
        #expect(try PropertyList(text: text) == expected)
        #expect(try PropertyList(text: "\u{FEFF} \(text)") == expected)
    }

    @Test(
        "Ambiguous JSON is refused",
        arguments: [#"{"a": 1, "a": 2}"#, "[18446744073709551615]", "[1,]"])
    func ambiguousJSON(text: String) {
        #expect(reason(against: text)?.hasPrefix("not valid JSON: line 1, column ") == true)
    }

    @Test(
        "A comment in JSON is refused with its position",
        arguments: [
            ("{ // a name\n \"a\": 1 }", 3), ("{/* a name */ /**/\"a\": 1}", 2),
            ("{\"a\": /* one */ 1}", 7),
        ])
    func comments(text: String, column: Int) {
        #expect(
            reason(against: text)?.hasPrefix("not valid JSON: line 1, column \(column)") == true)
        let openStep = text.replacing(":", with: "=").replacing("1", with: "1;")
        #expect((try? PropertyList(text: openStep)) == .dictionary(["a": .string("1")]))
    }

    @Test("JSON names that differ only in their code points are refused")
    func equivalentNames() {
        let found = reason(against: #"[{"\u00e9": 1, "e\u0301": 2}]"#)
        #expect(found == "not valid JSON: the key e\u{301} twice in one object")
    }

    @Test("JSON is refused if only property lists are admitted")
    func jsonNotAdmitted() {
        for text in ["[1]", #"{"a": 1}"#, #" { "a\"b" : 1 }"#] {
            let found = reason(against: text, admittingJSON: nil)
            #expect(found?.hasPrefix("the file is JSON") == true, "\(text)")
        }
    }

    @Test(
        "OpenStep text is parsed with its quotes, escapes, data and comments",
        arguments: [
            ("( a, \"b c\", 'd', )", .array([.string("a"), .string("b c"), .string("d")])),
            ("{ a = 1; \"b\" = (); }", .dictionary(["a": .string("1"), "b": .array([])])),
            (#"( "\"\\\n\U00e9\101" )"#, .array([.string("\"\\\néA")])),
            ("(\"Brontë\")", .array([.string("Brontë")])),
            ("{ a = <0fBd 77>; }", .dictionary(["a": .data(Data([0x0F, 0xBD, 0x77]))])),
            ("/* ( */ ( a /* { */, b ) // (", .array([.string("a"), .string("b")])),
            ("( http://example.com/a )", .array([.string("http://example.com/a")])),
            ("{}", .dictionary([:])),
        ] as [(String, PropertyList)])
    func openStep(text: String, expected: PropertyList) throws {
        #expect(try PropertyList(text: text, admittingJSON: nil) == expected)
    }

    @Test("XML is parsed with character entities, CDATA, comments and a byte order mark")
    func xmlText() throws {
        let text = "\u{FEFF}" + xml("<!-- <dict> --><string>&lt;&#233;&amp;<![CDATA[<a]]></string>")
        #expect(try PropertyList(text: text) == .string("<é&<a"))
    }

    @Test("XML in an encoding other than UTF-8 is parsed by its declaration")
    func latin1() throws {
        let text = "<?xml version='1.0' encoding='ISO-8859-1'?><plist><string>é</string></plist>"
        let data = try #require(text.data(using: .isoLatin1))
        #expect(try PropertyList(bytes: [UInt8](data), admittingJSON: nil) == .string("é"))
    }

    @Test("Binary integers and strings of all widths are decoded")
    func binaryWidths() throws {
        let objects: [[UInt8]] = [
            [0xAA, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10], [0x10, 0xFF], [0x11, 0xFF, 0xFF],
            [0x12, 0xFF, 0xFF, 0xFF, 0xFF], [0x13] + Array(repeating: 0xFF, count: 8),
            [0x14] + Array(repeating: 0, count: 8) + Array(repeating: 0xFF, count: 8),
            [0x62, 0x00, 0xE9, 0x00, 0x61], [0x5F, 0x10, 0x10] + Array("sixteen letters!".utf8),
            [0x22, 0x3F, 0xC0, 0, 0], [0x00], [0x08],
        ]
        let bytes = BinaryPropertyListBytes(objects: objects).bytes
        let expected: [PropertyList] = [
            .integer(255), .integer(65_535), .integer(4_294_967_295), .integer(-1),
            .real(0x1p64), .string("éa"), .string("sixteen letters!"),
            .real(1.5), .null, .boolean(false),
        ]
        #expect(try PropertyList(bytes: bytes, admittingJSON: nil) == .array(expected))
    }

    @Test("The name of each kind of value includes its article")
    func kindNames() {
        let values: [PropertyList] = [
            .string(""), .integer(0), .real(0), .boolean(true),
            .date(Date(timeIntervalSince1970: 0)), .data(Data()),
            .array([]), .dictionary([:]), .null,
        ]
        let kinds = [
            "a string", "an integer", "a real number", "a boolean", "a date", "data", "an array",
            "a dictionary", "null",
        ]
        #expect(values.map(\.kind) == kinds)
    }
}
