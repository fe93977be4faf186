import Foundation
import TestSupport
import Testing

@testable import AppDefinition

@Suite("Broken and malicious property lists")
struct PropertyListTrapTests {
    static func nested(_ open: String, _ close: String, levels: Int) -> String {
        String(repeating: open, count: levels) + String(repeating: close, count: levels)
    }

    @Test(
        "A property list of 64 levels is read, and one of 65 or 100,000 levels is refused",
        arguments: [("<array>", "</array>"), ("(", ")"), ("[", "]")])
    func nesting(open: String, close: String) {
        func text(_ levels: Int) -> String {
            let content = Self.nested(open, close, levels: levels)
            return open.hasPrefix("<") ? xml(content) : content
        }
        #expect(reason(against: text(64)) == nil)
        for levels in [65, 100_000] {
            #expect(reason(against: text(levels)) == PropertyListLimits.tooDeep.reason)
        }
    }

    @Test("A property list with unclosed brackets is refused")
    func unclosed() {
        for text in ["[", "(", "{a=", #"{"a":"#, "<plist><array>"] {
            let found = reason(against: String(repeating: text, count: 100_000))
            #expect(found != nil, "\(text)")
        }
    }

    @Test("Brackets in strings and comments do not count as nesting")
    func brackets() {
        let many = String(repeating: "[({", count: 100)
        #expect(reason(against: "[\"\\\"\(many)\"]") == nil)
        #expect(reason(against: "( '\(many)', /* \(many) */ b )") == nil)
        #expect(reason(against: xml("<string>&lt;array></string>")) == nil)
    }

    @Test(
        "A property list with more values than the limit is refused in every format",
        arguments: [PropertyListFormat.json, .openStep, .xml])
    func values(format: PropertyListFormat) {
        func reason(values: Int, limit: Int = 1_000) -> String? {
            let text =
                switch format {
                case .json: "[" + String(repeating: "0,", count: values - 2) + "0]"
                case .xml:
                    xml("<array>" + String(repeating: "<true/>", count: values - 2) + "</array>")
                case .openStep, .binary:
                    "(" + String(repeating: "a,", count: values - 2) + ")"
                }
            let bytes = Array(text.utf8)[...]
            do throws(UnreadablePropertyList) {
                _ =
                    format == .xml
                    ? try XMLCheck.check(bytes, maximumValues: limit)
                    : try BracketCheck.check(bytes, format: format, maximumValues: limit)
                return nil
            } catch {
                return error.reason
            }
        }
        #expect(reason(values: 1_000) == nil)
        #expect(reason(values: 1_001) == PropertyListLimits.tooManyValues.reason)
    }

    @Test("The limit of a file is a million values") func millionValues() {
        #expect(PropertyListLimits.values == 1_000_000)
        let text = "(" + String(repeating: "a,", count: PropertyListLimits.values + 1) + ")"
        #expect(reason(against: text) == PropertyListLimits.tooManyValues.reason)
    }

    @Test("A binary array or dictionary that contains itself is refused")
    func cycle() {
        let cycles: [[[UInt8]]] = [
            [[0xA1, 0]], [[0xA2, 1, 1], [0xA1, 0]], [[0xD1, 1, 0], [0x51, 0x61]],
        ]
        for objects in cycles {
            let found = reason(against: BinaryPropertyListBytes(objects: objects).bytes)
            #expect(found == "an array or a dictionary contains itself")
        }
    }

    @Test("Shared binary objects that expand beyond the limit are refused")
    func expansion() {
        let arrays: [[UInt8]] = (1...40).map { [0xA2, $0, $0] }
        let bytes = BinaryPropertyListBytes(objects: arrays + [[0x51, 0x61]]).bytes
        #expect(reason(against: bytes) == PropertyListLimits.tooManyValues.reason)
    }

    @Test("Shared binary objects within the limit are read")
    func sharing() throws {
        let bytes = BinaryPropertyListBytes(objects: [[0xA2, 1, 1], [0xA1, 2], [0x51, 0x61]]).bytes
        let part = PropertyList.array([.string("a")])
        #expect(try PropertyList(bytes: bytes, admittingJSON: nil) == .array([part, part]))
    }

    @Test("Deeply nested arrays of a binary property list are refused")
    func deepBinary() {
        let arrays: [[UInt8]] = (1...100).map { [0xA1, $0] }
        let bytes = BinaryPropertyListBytes(objects: arrays + [[0x51, 0x61]]).bytes
        #expect(reason(against: bytes) == PropertyListLimits.tooDeep.reason)
    }

    @Test(
        "A binary number of a size that no program writes is refused with the reason",
        arguments: [([0x15, 0], "an integer of"), ([0x21, 0, 0], "a real number of")]
            as [([UInt8], String)])
    func numberSizes(_ object: [UInt8], _ kind: String) {
        let bytes = BinaryPropertyListBytes(objects: [object]).bytes
        #expect(reason(against: bytes)?.hasSuffix("\(kind) unknown size") == true)
    }

    @Test("A file that fails while it is read is refused with the reason") func failingRead() {
        // A process has no memory at the address 0.
        let error = #expect(throws: UnreadablePropertyList.self) {
            try PropertyList.bytes(ofFile: "/proc/self/mem")
        }
        #expect(error?.reason.hasPrefix("the file cannot be read: ") == true)
    }

    @Test("Overlapping binary strings are refused")
    func overlap() {
        let long: [[UInt8]] = (1...200).map { _ in [0x5F, 0x11, 0x03, 0x20] }
        let greedy = BinaryPropertyListBytes(
            objects: [[0xAF, 0x10, 200] + (1...200).map { UInt8($0) }] + long
                + [Array(repeating: 0x61, count: 900)]
        ).bytes
        #expect(reason(against: greedy)?.contains("overlap") == true)
    }

    @Test(
        "A binary property list with invalid offsets or counts is refused",
        arguments: [
            BinaryPropertyListBytes(objects: [[0x09]], offsetSize: 0),
            BinaryPropertyListBytes(objects: [[0x09]], offsetSize: 9),
            BinaryPropertyListBytes(objects: [[0x09]], referenceSize: 0),
            BinaryPropertyListBytes(objects: [[0x09]], objectCount: 0),
            BinaryPropertyListBytes(objects: [[0x09]], objectCount: .max),
            BinaryPropertyListBytes(objects: [[0x09]], objectCount: 1 << 62),
            BinaryPropertyListBytes(objects: [[0x09]], top: 1),
            BinaryPropertyListBytes(objects: [[0x09]], table: 0),
            BinaryPropertyListBytes(objects: [[0x09]], table: 1 << 40),
            BinaryPropertyListBytes(objects: [[0x09]], table: .max),
            BinaryPropertyListBytes(objects: [[0xA1, 9]]),
            BinaryPropertyListBytes(objects: [[0xA5, 0]]),
            BinaryPropertyListBytes(objects: [[0x5F, 0x13] + Array(repeating: 0x7F, count: 8)]),
            BinaryPropertyListBytes(
                objects: [
                    [0xA2, 1, 2], [0x51, 0x61],
                    [0x4F, 0x13, 0x7F] + Array(repeating: 0xFF, count: 7),
                ]),
            BinaryPropertyListBytes(objects: [[0xAF, 0x13] + Array(repeating: 0xFF, count: 8)]),
            BinaryPropertyListBytes(objects: [[0xDF, 0x13] + Array(repeating: 0x7F, count: 8)]),
            BinaryPropertyListBytes(objects: [[0x5F, 0x51]]),
            BinaryPropertyListBytes(objects: [[0x5F]]),
            BinaryPropertyListBytes(objects: [[0x1F]]),
            BinaryPropertyListBytes(objects: [[0x51, 0xFF]]),
            BinaryPropertyListBytes(objects: [[0x61, 0xD8, 0x00]]),
            BinaryPropertyListBytes(objects: [[0x80, 0x01]]),
            BinaryPropertyListBytes(objects: [[0x0F]]),
            BinaryPropertyListBytes(objects: [[0xD1, 1, 1], [0x09]]),
            BinaryPropertyListBytes(objects: [[0xD2, 1, 1, 2, 2], [0x51, 0x61], [0x09]]),
        ])
    func lies(list: BinaryPropertyListBytes) {
        #expect(reason(against: list.bytes) != nil)
    }

    @Test("A truncated binary property list is refused, and a damaged one never ends the process")
    func damage() throws {
        let whole = try [UInt8](
            PropertyListSerialization.data(
                fromPropertyList: PropertyListFormatTests.everyKind, format: .binary, options: 0))
        // A shorter prefix of the signature is a valid OpenStep string.
        for end in "bplist".utf8.count..<whole.count {
            #expect(reason(against: Array(whole[..<end])) != nil, "cut at \(end)")
        }
        for index in whole.indices {
            for byte: UInt8 in [0x00, 0x0F, 0x7F, 0xA1, 0xDF, 0xFF] {
                var damaged = whole
                damaged[index] = byte
                _ = reason(against: damaged)
            }
        }
    }

    @Test("A truncated XML property list is refused")
    func cutXML() {
        let whole = Array(xml("<dict><key>a</key><array><string>x</string></array></dict>").utf8)
        for end in 0..<whole.count {
            #expect(reason(against: Array(whole[..<end])) != nil, "cut at \(end)")
        }
        #expect(reason(against: whole) == nil)
    }

    @Test(
        "Broken XML is refused with a line number where Foundation gives none",
        arguments: [
            (xml("<dict/>") + "garbage", "line 5: text after </plist>"),
            (xml("<dict/>") + xml("<dict/>"), "line 7: <plist> after </plist>"),
            (xml("<dict><key>a</key><true/>"), "line 5: expected </dict>, found </plist>"),
            ("<array></array>", "line 1: the root is <array>, not <plist>"),
            ("<html><body/></html>", "line 1: <html> is not part of a property list"),
            (xml("<array><foo/></array>"), "line 4: <foo> is not part of a property list"),
            ("<plist>\n<dict>", "line 2: the file ends inside <dict>"),
            ("<plist><!-- ", "line 1: the file ends inside a comment"),
            ("<!-- nothing -->", "line 1: the file has no <plist>"),
            ("<plist/></plist>", "line 1: </plist> closes nothing"),
            (
                xml("<dict><key>a</key><true/><key>a</key><false/></dict>"),
                "line 4: the key a twice in one dictionary"
            ),
            (
                xml("<dict><key>name</key><true/><key>name</key><false/></dict>"),
                "line 4: the key name twice in one dictionary"
            ),
            (xml("<array></string></array>"), "line 4: expected </array>, found </string>"),
            (
                "<!DOCTYPE plist [<!ENTITY a \"b\">]><plist><string>&a;</string></plist>",
                "line 1: the document type declares entities or elements"
            ),
        ])
    func brokenXML(text: String, expected: String) {
        #expect(reason(against: text) == "not a valid property list: " + expected)
    }

    @Test(
        "A property list that Foundation refuses is refused with a reason",
        arguments: [
            xml("<dict><key>a</key></dict>"), xml(""), xml("<string/><string/>"),
            xml("<integer>abc</integer>"), xml("<date>soon</date>"), xml("<string>&foo;</string>"),
            xml("<dict><key>CF$UID</key><integer>1</integer></dict>"),
            "{ a = b; c = (1, 2 }", "{ a = b; } c", "( \"a )", "( a /* b )", "hello world",
            "[1, 2", "[1] 2", #"{"a": tru}"#, #"{"a": 1, b}"#,
            "\u{89}PNG\r\n", "bplist01", "bplist00",
        ])
    func broken(text: String) {
        let found = reason(against: text)
        #expect(found?.isEmpty == false)
        #expect(found?.contains("NSCocoaErrorDomain") == false)
    }

    @Test("The reason for refusing a property list quotes a bounded part of the file")
    func longReason() throws {
        let found = try #require(reason(against: "[\(String(repeating: "1", count: 100_000))]"))
        #expect(found.count < 300)
    }

    @Test("Keys of a Latin-1 XML file that differ in one letter are different keys")
    func latin1Keys() throws {
        let text = """
            <?xml version="1.0" encoding="ISO-8859-1"?>
            <plist><dict><key>\u{E9}</key><true/><key>\u{E8}</key><true/></dict></plist>
            """
        let bytes = text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
        #expect(
            try PropertyList(bytes: bytes, admittingJSON: nil)
                == .dictionary(["\u{E9}": .boolean(true), "\u{E8}": .boolean(true)]))
        let repeated = bytes.map { $0 == 0xE8 ? 0xE9 : $0 }
        #expect(reason(against: repeated)?.contains("the key \u{E9} twice") == true)
    }

    @Test("An empty, blank or UTF-16 property list is refused with that reason")
    func noText() throws {
        #expect(reason(against: "") == "the file is empty; expected a property list")
        #expect(reason(against: "\u{FEFF} \n") == "the file is empty; expected a property list")
        let utf16 = try #require(xml("<true/>").data(using: .utf16))
        #expect(reason(against: [UInt8](utf16))?.contains("save it as UTF-8") == true)
    }

    @Test("A path without a readable file is refused without waiting")
    func notAFile() throws {
        let folder = try TemporaryFolder()
        #expect(mkfifo(folder.path + "/pipe", 0o600) == 0)
        #expect(throws: UnreadablePropertyList.self) {
            try PropertyList(contentsOfFile: folder.path + "/pipe")
        }
        #expect(throws: UnreadablePropertyList.self) {
            try PropertyList(contentsOfFile: folder.path)
        }
        #expect(
            throws: UnreadablePropertyList(
                reason: "the file cannot be opened: No such file or directory")
        ) {
            try PropertyList(contentsOfFile: folder.path + "/none")
        }
    }

    @Test("A property list of more than the maximum size is refused, and one of that size is read")
    func largeFile() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(to: "large")
        #expect(truncate(path, PropertyListLimits.fileSize + 1) == 0)
        let expected = UnreadablePropertyList(reason: "the file is larger than 64 MiB; split it")
        #expect(throws: expected) {
            try PropertyList(contentsOfFile: path)
        }
        #expect(truncate(path, 1 << 20) == 0)
        #expect(try PropertyList.bytes(ofFile: path, atMost: 1 << 20).count == 1 << 20)
    }

    @Test(
        "A key that is repeated in another spelling is a duplicate key",
        arguments: [
            "&#97;", "&#x61;", "&#x0061;", "&#0097;", "<![CDATA[a]]>", "<![CDATA[]]>a", "a",
        ])
    func equalKeysInXML(key: String) {
        for (one, other) in [("a", key), (key, "a")] {
            let text = xml("<dict><key>\(one)</key><true/>\n<key>\(other)</key><false/></dict>")
            let expected = "not a valid property list: line 5: the key a twice in one dictionary"
            #expect(reason(against: text) == expected)
        }
        // The same key may occur in two dictionaries.
        let two = "<dict><key>a</key><dict><key>\(key)</key><true/></dict></dict>"
        #expect(reason(against: xml(two)) == nil)
    }

    @Test(
        "XML keys that differ only in their escapes are different keys",
        arguments: [("a", "&#98;"), ("&amp;", "&lt;"), ("<![CDATA[&#97;]]>", "a"), ("A", "a")])
    func differentKeysInXML(one: String, other: String) {
        let text = xml("<dict><key>\(one)</key><true/><key>\(other)</key><false/></dict>")
        #expect(reason(against: text) == nil)
    }

    @Test("Keys that differ only in their Unicode normalization are equal, as in Swift")
    func canonicallyEqualKeys() {
        let composed = xml("<dict><key>\u{E9}</key><true/><key>e\u{301}</key><true/></dict>")
        #expect(reason(against: composed)?.contains("twice in one dictionary") == true)
        let openStep = "{ \"\u{E9}\" = a; \"e\u{301}\" = b; }"
        #expect(reason(against: openStep)?.contains("twice in one dictionary") == true)
    }

    @Test(
        "A duplicate key in an OpenStep dictionary is refused",
        arguments: [
            "{a=b;a=c;}", "{ a = b; \"a\" = c; }", "{ 'a' = b; a = c; }", "{ a; a = c; }",
            "{ a = b; /* a */ a; }", "{ x = { y = z; }; x = ({ y = z; }); }", "a = b; a = c;",
            "( 1, { a = b; c = d; a = e; } )", #"{ "\141" = b; a = c; }"#,
            #"{ "\U0061" = b; a = c; }"#,
        ])
    func equalKeysInOpenStep(text: String) {
        let found = reason(against: text)
        #expect(found?.hasSuffix("twice in one dictionary") == true, "\(found ?? "read")")
    }

    @Test("A duplicate OpenStep key is reported with its line")
    func lineOfAnEqualKey() {
        #expect(
            reason(against: "{\n  color = red;\n  // again\n  color = blue;\n}")
                == "not a valid property list: line 4: the key color twice in one dictionary")
    }

    @Test(
        "OpenStep dictionaries with different keys are read",
        arguments: [
            "{ a = b; b = a; }", "{ a = { a = a; }; b = ( { a = 1; }, { a = 2; } ); }",
            "{ a = \"x; a = y\"; b = 'c; a = d'; }", "{ a = b; /* a = c; */ }", "a = b; c = d;",
            "{ a = \"\\\"\"; b = c; }", "{ a; b; }", "{ http://a = b; http://c = d; }", "{}",
            "{ a = <0fbd 77>; b = <0fbd 77>; }", "( a, a, a )",
        ])
    func differentKeysInOpenStep(text: String) {
        #expect(reason(against: text) == nil)
    }
}
