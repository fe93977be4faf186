import Foundation
import JSON
import Testing

@testable import Flows

@Suite struct FlowUpdateTests {
    @Test("--update writes what was found, and keeps comments, order and all other text")
    func update() async throws {
        let folder = try FlowFolder()
        let before = """
            # The head stays.
            name: A   # so does this
            steps:
              - sign-up: ada
              - expect: { title: Wrong, segment: Titles, back: Nothing } # in braces
              - select-row: "Oscar Wilde"
                expect:
                  title: Oscar # the title
                  changed: false
                  rows:
                    - One
                    # a comment in the list
                    - Two
                  back:
                  stack: [Authors,
                    "Oscar, W"]
                  popped: [A]
              # the end
              - back
            """
        let file = try folder.write(before)
        let results = try await runLocally(file, goesOn: true)
        #expect(try FlowUpdate.apply(results.flatMap(\.mismatches)).count == 9)
        #expect(
            try folder.text() == """
                # The head stays.
                name: A   # so does this
                steps:
                  - sign-up: ada
                  - expect: { title: Authors, segment: Authors, back: null } # in braces
                  - select-row: "Oscar Wilde"
                    expect:
                      title: Oscar Wilde # the title
                      changed: true
                      rows:
                        - The Happy Prince and Other Tales
                        - The Picture of Dorian Gray
                        - Lady Windermere's Fan
                        - The Importance of Being Earnest
                        - De Profundis
                      back: Authors
                      stack: [Authors, Oscar Wilde]
                      popped: []
                  # the end
                  - back
                """)
        #expect(try await runLocally(file)[0].status == .passed)
    }

    @Test("--update puts a space before a value that had no text at the end of the file")
    func noTextAtEnd() async throws {
        let folder = try FlowFolder()
        let file = try folder.write(
            """
            name: A
            steps:
              - sign-up: ada
              - select-row: Oscar Wilde
                expect:
                  back:
            """)
        let results = try await runLocally(file, goesOn: true)
        #expect(try FlowUpdate.apply(results.flatMap(\.mismatches)).count == 1)
        #expect(try folder.text().hasSuffix("\n      back: Authors"))
    }

    @Test("--update of a JSON file leaves JSON") func json() async throws {
        let folder = try FlowFolder()
        let file = try folder.write(
            #"{"name": "J", "steps": [{"expect": {"title": "X", "stack": ["A", "B"]}}]}"#,
            "flow.json")
        let results = try await runLocally(file, goesOn: true)
        #expect(try FlowUpdate.apply(results.flatMap(\.mismatches)).count == 2)
        let text = try folder.text("flow.json")
        #expect(
            text
                == #"{"name": "J", "steps": [{"expect": {"title": "Log In", "stack": ["Log In"]}}]}"#
        )
    }

    @Test("--update of a JSON file keeps the characters that it escapes as two surrogates")
    func surrogates() async throws {
        let folder = try FlowFolder()
        let before =
            #"{"name": "\ud83d\ude00", "steps": [{"expect": {"bottomBar": "\ud83d\ude00", "title": "X"}}]}"#
        let file = try folder.write(before, "flow.json")
        let results = try await runLocally(file, goesOn: true)
        #expect(results.map(\.flow.name) == ["😀"])
        #expect(try FlowUpdate.apply(results.flatMap(\.mismatches)).count == 2)
        #expect(
            try folder.text("flow.json")
                == #"{"name": "\ud83d\ude00", "steps": [{"expect": {"bottomBar": null, "title": "Log In"}}]}"#
        )
    }

    @Test(
        "An expectation that two flows share is updated and counted once",
        arguments: [
            (
                "J.json", #"{"name": "J", "steps": [{"expect": {"title": "X"}}]}"#, #""X""#,
                #""Log In""#
            ),
            ("Y.yaml", "name: Y\nsteps:\n  - expect:\n      title:\n", "title:", "title: Log In"),
        ])
    func shared(name: String, flow: String, old: String, new: String) async throws {
        let folder = try FlowFolder()
        let file = try folder.write(flow, name)
        let mismatches = try await runLocally(file, goesOn: true).flatMap(\.mismatches)
        #expect(try FlowUpdate.apply(mismatches + mismatches).count == 1)
        #expect(try folder.text(name) == flow.replacing(old, with: new))
    }

    @Test("A file that flows use by several paths is updated once") func severalPaths() async throws
    {
        let folder = try FlowFolder()
        try FileManager.default.createDirectory(
            atPath: folder.path("more"), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("link.yaml"), withDestinationPath: "_start.yaml")
        let before = """
            name: Start
            steps:
              - sign-up: ada
              - expect:
                  stack:
                    - One
                    - Two
                  title: Wrong
                  layers: 1

            """
        let start = try folder.write(before, "_start.yaml")
        try folder.write("name: Two\nsteps: [{use: ../_start.yaml}]", "more/two.yaml")
        let flows = try ["_start.yaml", "link.yaml"].map {
            try folder.write("name: \($0)\nsteps: [{use: \($0)}]", "\($0)-use.yaml")
        }
        var mismatches: [Mismatch] = []
        for file in flows + [folder.path("more/two.yaml")] {
            mismatches += try await runLocally(file, goesOn: true).flatMap(\.mismatches)
        }
        #expect(Set(mismatches.map(\.expectation.place.file)).count == 3)
        #expect(try FlowUpdate.apply(mismatches).count == 2)
        #expect(
            try folder.text("_start.yaml")
                == before.replacing("        - One\n        - Two", with: "        - Authors")
                .replacing("Wrong", with: "Authors"))
        #expect(try await runLocally(start)[0].status == .passed)
    }

    /// Runs a flow whose first steps lead to a screen with a list, and returns its text after
    /// `--update`. The text begins at the line after `expect:`, without the first indentation.
    private func updated(_ expectations: String) async throws -> String {
        let folder = try FlowFolder()
        let head = "name: A\nsteps:\n  - sign-up: ada\n  - select-row: Oscar Wilde\n    expect:\n"
        let text = expectations.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.isEmpty ? "" : "      \($0)" }.joined(separator: "\n")
        let file = try folder.write(head + text + "\n  - back\n")
        let results = try await runLocally(file, goesOn: true)
        _ = try FlowUpdate.apply(results.flatMap(\.mismatches))
        let after = try folder.text()
        #expect(try FlowReader.read([file]).count == 1)
        #expect(after.hasSuffix("\n  - back\n"))
        return after.dropFirst(head.count).split(separator: "\n", omittingEmptySubsequences: false)
            .dropLast(2).map { $0.hasPrefix("      ") ? $0.dropFirst(6) : $0 }
            .joined(separator: "\n")
    }

    @Test(
        "A text of several lines is replaced as a whole",
        arguments: [
            "|\n  Not\n  this", ">-\n  Not\n\n  this", "|2\n    Not\n  # this", "|\n  Not\n",
            "Not\n  this\n  one", "Not\n\n  this", "\n  Not\n  this", "\"Not\n  this\"",
            "'Not\n  this'", "!!str |\n  Not\n  this", "!!str Not", "|",
        ])
    func severalLines(text: String) async throws {
        let updated = try await updated("title: \(text)\nback: Wrong # the button")
        let lines = updated.split(separator: "\n").map { $0.filter { $0 != " " } }
        let title = lines.dropLast().joined()
        #expect(title == "title:OscarWilde", "\(updated)")
        #expect(lines.last == "back:Authors#thebutton")
    }

    @Test("A text of several lines in braces is replaced as a whole") func severalLinesInFlow()
        async throws
    {
        let folder = try FlowFolder()
        let file = try folder.write(
            "name: A\nsteps:\n  - expect: { title: Not\n      this, back: x }\n")
        let results = try await runLocally(file, goesOn: true)
        #expect(try FlowUpdate.apply(results.flatMap(\.mismatches)).count == 2)
        #expect(
            try folder.text()
                == "name: A\nsteps:\n  - expect: { title: Log In, back: null }\n")
    }

    @Test("Quotes and brackets inside plain texts do not change the extent of a value")
    func marksInText() async throws {
        #expect(
            try await updated("back: it's a [b, \"c\ntitle: Wrong, this # a: b")
                == "back: Authors\ntitle: Oscar Wilde # a: b")
    }

    @Test("A list in the column of its key ends at the next key") func listAtKey() async throws {
        #expect(
            try await updated("stack:\n- A\n# between\n- B\n- C\ntitle: Oscar Wilde")
                == "stack:\n- Authors\n- Oscar Wilde\ntitle: Oscar Wilde")
    }

    @Test("A list in the column of its key can become a value that is no such list")
    func listAtKeyThatEnds() async throws {
        #expect(
            try await updated("popped:\n- A\n- B # two\nstack:\n-\n  A\ntitle: X")
                == "popped:\n  []\nstack:\n- Authors\n- Oscar Wilde\ntitle: Oscar Wilde")
    }

    @Test("Thousands of expectations are updated in a moment", .timeLimit(.minutes(1)))
    func manyExpectations() {
        let lines = (1...20_000).map { "title: wrong # \($0)" }
        let mismatches = lines.indices.map { index in
            Mismatch(
                expectation: Expectation(
                    key: "title", value: "wrong",
                    place: Place(file: "a.yaml", line: index + 1, column: 10)),
                found: "right")
        }
        let text = lines.map { "- " + $0 }.joined(separator: "\n")
        #expect(
            FlowUpdate.apply(mismatches, to: text) == text.replacing("wrong", with: "right"))
    }

    @Test("Entries of a list that stay keep their comments") func commentsInList() async throws {
        let rows = """
            rows:
              # the first
              - Wrong
              # the tales
              - The Happy Prince and Other Tales # of a prince
              # the portrait

              - "The Picture of Dorian Gray"
              # gone
              - Gone
            # outside
              - De Profundis
              # the end
            back: Authors
            """
        #expect(
            try await updated(rows) == """
                rows:
                  # the first
                  # the tales
                  - The Happy Prince and Other Tales # of a prince
                  # the portrait

                  - "The Picture of Dorian Gray"
                  - Lady Windermere's Fan
                  - The Importance of Being Earnest
                # outside
                  - De Profundis
                  # the end
                back: Authors
                """)
    }

    @Test("A flag that the storyboard does not have is removed, and the others are updated")
    func removedFlag() async throws {
        let mismatch = Mismatch(
            expectation: Expectation(
                key: "flags", value: ["here": true, "gone": true],
                place: Place(file: "a.yaml", line: 1, column: 8)),
            found: ["here": false, "gone": "absent"])
        #expect(
            FlowUpdate.apply([mismatch], to: "flags: { here: true, gone: true }")
                == "flags: { here: false }")
    }

    @Test(
        "An expectation for which the session has no value stays as it is",
        arguments: [
            (
                "flags", ["gone": true] as JSONValue, ["gone": "absent"] as JSONValue,
                "{ gone: true }"
            ),
            ("viewControllers.9", "books", "absent", "books"),
            (
                "stack", .array([["scene": "books", "colour": "red"]]),
                .array([["scene": "books", "colour": "absent"]]), "[{ scene: books, colour: red }]"
            ),
        ])
    func nothingFound(key: String, expected: JSONValue, found: JSONValue, text: String) {
        let mismatch = Mismatch(
            expectation: Expectation(
                key: key, value: expected,
                place: Place(file: "a.yaml", line: 1, column: key.count + 3)),
            found: found)
        #expect(FlowUpdate.apply([mismatch], to: "\(key): \(text)") == "\(key): \(text)")
    }

    @Test("The number of rows of a screen without a table becomes null") func noTable() {
        let mismatch = Mismatch(
            expectation: Expectation(
                key: "rows", value: ["count": 3], place: Place(file: "a.yaml", line: 1, column: 7)),
            found: ["count": .null])
        #expect(FlowUpdate.apply([mismatch], to: "rows: { count: 3 }") == "rows: null")
    }

    @Test("The expectation of `changed` after a refused action stays") func changedAfterRefusal()
        async throws
    {
        let folder = try FlowFolder()
        let file = try folder.write(
            """
            name: A
            steps:
              - push: none
                refused: scene-not-found
                expect: { changed: false, title: X }

            """)
        let results = try await runLocally(file, goesOn: true)
        #expect(try FlowUpdate.apply(results.flatMap(\.mismatches)).count == 1)
        #expect(try folder.text().hasSuffix("    expect: { changed: false, title: Log In }\n"))
    }

    @Test("A byte order mark and the mode of the file stay") func byteOrderMark() async throws {
        let folder = try FlowFolder()
        let file = try folder.write(
            "\u{FEFF}name: A\nsteps: [{ expect: { title: Wrong } }]\n")
        #expect(chmod(file, 0o600) == 0)
        let results = try await runLocally(file, goesOn: true)
        #expect(try FlowUpdate.apply(results.flatMap(\.mismatches)).count == 1)
        let bytes = try Data(contentsOf: URL(filePath: file))
        #expect(
            Array(bytes)
                == Array("\u{FEFF}name: A\nsteps: [{ expect: { title: Log In } }]\n".utf8))
        #expect(
            try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
                == 0o600)
    }

    @Test(
        "A text that YAML would read as something else is quoted",
        arguments: [
            ("Lady Windermere's Fan", "Lady Windermere's Fan"), ("1984", "\"1984\""),
            ("null", "\"null\""), ("a: b", "\"a: b\""), ("a:", "\"a:\""), ("a:b", "a:b"),
            ("a #b", "\"a #b\""),
            ("'a'", "\"'a'\""), ("", "\"\""), ("a, b", "\"a, b\""), ("é", "é"),
            ("a\nb", "\"a\\nb\""), ("- a", "\"- a\""), ("Yes", "Yes"),
            ("?a", "\"?a\""), ("? a", "\"? a\""), ("?", "\"?\""), ("a?", "a?"), ("-a", "-a"),
            ("\u{FEFF}a", "\"\\ufeffa\""), ("a\u{FFFE}", "\"a\\ufffe\""),
            ("a\u{202E}b", "\"a\\u202eb\""),
            ("[\u{301}a", "\"[\u{301}a\""), ("a:\u{301} b", "a:\u{301} b"),
        ])
    func quoting(text: String, expected: String) throws {
        #expect(JSONValue.string(text).flowStyle == expected)
        let folder = try FlowFolder()
        let file = try folder.write("{name: A, steps: [{expect: {title: \(expected)}}]}")
        let read = try #require(try FlowReader.read([file]).first?.steps.first?.expectations.first)
        // Foundation leaves out a byte order mark at the start of each text that Yams makes.
        #expect(read.value == .string(text.unicodeScalars.first == "\u{FEFF}" ? "a" : text))
    }
}
