import TestSupport
import Testing
import WaypostCore

@testable import AppDefinition

/// Tests of the line and column that a finding in a JSON file names.
@Suite struct JSONPositionTests {
    private static let text = """
        { "name": "Ä🦊", "scenes": {
            "home": { "kind": "table", "rows": [ "a",  "b" ] },
          "a.b": { "x\\"y": 1, "z": -2.5e3 }, "empty": {}, "none": [] },
          "last": null }
        """

    @Test(
        "The position of a value in JSON is that of its first character",
        arguments: [
            ("", 1, 1), ("name", 1, 11), ("scenes", 1, 27), ("scenes.home", 2, 13),
            ("scenes.home.kind", 2, 23), ("scenes.home.rows", 2, 40),
            ("scenes.home.rows[0]", 2, 42), ("scenes.home.rows[1]", 2, 48),
            ("scenes.a.b", 3, 10), ("scenes.a.b.z", 3, 28), ("scenes.none", 3, 59),
            ("last", 4, 11),
        ])
    func positions(_ keyPath: String, _ line: Int, _ column: Int) throws {
        let positions = try #require(JSONPositions(ofJSON: Array(Self.text.utf8)))
        #expect(positions.position(of: keyPath) == TextPosition(line: line, column: column))
    }

    @Test(
        "The position of a value that is missing is that of the nearest value around it",
        arguments: [
            ("scenes.home.title", 2, 13), ("scenes.home.rows[7]", 2, 40), ("colour", 1, 1),
        ])
    func missing(_ keyPath: String, _ line: Int, _ column: Int) throws {
        let positions = try #require(JSONPositions(ofJSON: Array(Self.text.utf8)))
        #expect(positions.position(of: keyPath) == TextPosition(line: line, column: column))
    }

    @Test(
        "A key path that two values share has the position of the value around both",
        arguments: [
            """
            { "scenes": {
              "x": { "title": 5, "kind": 1 },
              "x.title": { "path": 2 } } }
            """,
            """
            { "scenes": {
              "x.title": { "path": 2 },
              "x": { "title": 5, "kind": 1 } } }
            """,
        ])
    func shared(_ text: String) throws {
        let positions = try #require(JSONPositions(ofJSON: Array(text.utf8)))
        let scenes = TextPosition(line: 1, column: 13)
        #expect(positions.position(of: "scenes.x.title") == scenes)
        #expect(positions.position(of: "scenes.x.title.rows") == scenes)
        #expect(positions.position(of: "scenes.x.kind")?.column == 30)
        #expect(positions.position(of: "scenes.x.title.path")?.column == 24)
    }

    @Test(
        "The positions of 10,000 findings in one long line take no time of their own",
        .timeLimit(.minutes(1)))
    func manyFindings() throws {
        let text =
            "["
            + Array(repeating: #"{"a": "\#(String(repeating: "x", count: 60))"}"#, count: 10_000)
            .joined(separator: ",") + "]"
        let positions = try #require(JSONPositions(ofJSON: Array(text.utf8)))
        for index in 0..<10_000 {
            let position = positions.position(of: "[\(index)].a")
            #expect(position == TextPosition(line: 1, column: 8 + 70 * index))
        }
    }

    @Test("A finding in a JSON file names its line and column; one in a property list does not")
    func descriptions() throws {
        func defects(in text: String, _ name: String) throws -> [String] {
            let folder = try TemporaryFolder()
            let file = try folder.write(text, to: name)
            let error = try #require(throws: UnusableFile.self) {
                try Decoded(contentsOfFile: file, admittingJSON: .jansson) { reader in
                    reader.dictionary()?["kind"].integer()
                }
            }
            return error.defects.map(\.description)
        }
        #expect(
            try defects(in: "{\n  \"kind\": \"x\" }", "a.json")
                == ["a.json:2:11: kind: expected an integer, found a string"])
        #expect(
            try defects(in: "\u{FEFF}{ \"kind\": \"x\" }", "a.json")
                == ["a.json:1:11: kind: expected an integer, found a string"])
        #expect(
            try defects(in: "{ kind = x; }", "a.plist")
                == ["a.plist: kind: expected an integer, found a string"])
    }
}
