import JSON
import Testing

@testable import Flows

/// Tests of what the reader of YAML and JSON takes and refuses in all files.
@Suite struct YAMLFileTests {
    @Test(
        "A key with a tag is refused with its place, because no reader would find it",
        arguments: [
            ("a: 1\n!x b: 2", "file:2:1: the key b has the tag !x: remove the tag"),
            (
                "- - !!binary b: 2",
                "file:1:5: the key b has the tag tag:yaml.org,2002:binary: remove the tag"
            ),
            ("{a: {b: 1, !!int 5: 2}}", "the key 5 has the tag tag:yaml.org,2002:int: remove"),
            ("b: 1\n!x b: 2", "file:2:1: the key b has the tag !x: remove the tag"),
            ("- pop:\n  !x expect: {title: A}", "file:2:3: the key expect has the tag !x"),
        ])
    func tags(text: String, expected: String) {
        let defect = #expect(throws: FileDefect.self) {
            try YAMLFile.documents(of: text, path: "file")
        }
        #expect(defect?.description.contains(expected) == true, "\(defect.debugDescription)")
    }

    @Test("JSON may escape a character as two surrogates, and each value keeps its place")
    func surrogates() throws {
        let text = #"{"\ud83d\ude00": "a\uD83D\uDE00\"\ud834\udd1e", "b": ["\\ud83d\\ude00", 5]}"#
        let root = try #require(try YAMLFile.root(of: text, path: "file"))
        #expect(root.json == ["😀": "a😀\"𝄞", "b": [#"\ud83d\ude00"#, 5]])
        let five = try #require(root.mapping?["b"]?.sequence?.last).place(in: "file")
        #expect(five.column == text.unicodeScalars.count - 2)
        #expect(throws: FileDefect.self) {
            try YAMLFile.root(of: #"["\ud83d"]"#, path: "file")
        }
        let yaml = try #require(try YAMLFile.root(of: #"a: '\ud83d\ude00'"#, path: "file"))
        #expect(yaml.json == ["a": #"\ud83d\ude00"#])
    }

    @Test("A key is a text, with the tag of texts or without, and with quotes or without")
    func keys() throws {
        for text in ["!!str b: 2", "! b: 2", "'b': 2", "b: !x 2"] {
            let root = try #require(try YAMLFile.root(of: text, path: "file"))
            #expect(root.mapping?["b"]?.text == "2", "\(text)")
        }
        let root = try #require(try YAMLFile.root(of: "{5: 1, on: 2, null: 3}", path: "file"))
        #expect(root.json.object?.members.map(\.name) == ["5", "on", "null"])
    }
}
