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
        #expect(try FlowUpdate.apply(results.flatMap(\.mismatches)) == 9)
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
        #expect(try FlowUpdate.apply(results.flatMap(\.mismatches)) == 1)
        #expect(try folder.text().hasSuffix("\n      back: Authors"))
    }

    @Test("--update of a JSON file leaves JSON") func json() async throws {
        let folder = try FlowFolder()
        let file = try folder.write(
            #"{"name": "J", "steps": [{"expect": {"title": "X", "stack": ["A", "B"]}}]}"#,
            "flow.json")
        let results = try await runLocally(file, goesOn: true)
        #expect(try FlowUpdate.apply(results.flatMap(\.mismatches)) == 2)
        let text = try folder.text("flow.json")
        #expect(
            text
                == #"{"name": "J", "steps": [{"expect": {"title": "Log In", "stack": ["Log In"]}}]}"#
        )
    }

    @Test("An expectation that two flows share is updated and counted once")
    func shared() async throws {
        let folder = try FlowFolder()
        let file = try folder.write(
            #"{"name": "J", "steps": [{"expect": {"title": "X"}}]}"#, "flow.json")
        let mismatches = try await runLocally(file, goesOn: true).flatMap(\.mismatches)
        #expect(try FlowUpdate.apply(mismatches + mismatches) == 1)
        #expect(try folder.text("flow.json").contains(#"{"title": "Log In"}"#))
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
