import Foundation
import TestSupport
import Testing
import WaypostTesting

@Suite("waypost verify") struct VerifyCommandTests {
    private func timeless(_ text: String) -> String {
        text.replacing(/[0-9]+\.[0-9]+ (ms|s)/, with: "TIME")
    }

    @Test("The document shows what its traces print") func document() async throws {
        let document = try String(
            contentsOf: Shell.checkout.appending(path: "docs/testing.md"), encoding: .utf8)
        let section = try #require(document.components(separatedBy: "\n## waypost verify\n").last)
        let blocks = section.components(separatedBy: "```")
        for block in [blocks[1], blocks[3]] {
            let shown = block.dropFirst("console\n$ ".count)
            let command = try #require(shown.split(separator: "\n").first)
            let result = try await Shell.run(
                """
                ln -s \(Shell.checkout.path)/Examples Examples
                waypost() { \(Shell.waypost) "$@"; }
                echo '\(command)'
                \(command)
                """)
            #expect(timeless(result.output) == timeless(String(shown)))
        }
    }

    @Test(
        "An action that names a scene that the storyboard does not have is refused",
        arguments: [
            #"{"push":"nope"}"#, #"{"show":"nope"}"#, #"{"present":"nope"}"#, #"{"pop-to":"nope"}"#,
            #"{"set-root-view-controller":"nope"}"#, #"{"set-view-controllers":["nope"]}"#,
            #"{"push":{"scene":"nope"}}"#, #"{"batch":[{"pop-to-root":{}},{"push":"nope"}]}"#,
        ])
    func unknownScene(action: String) async throws {
        let result = try await Shell.run(
            """
            printf '{"waypostTrace": 1}\n{"did":%s}\n' '\(action)' > trace.jsonl
            \(Shell.waypost) verify trace.jsonl
            """)
        #expect(result.status == 2 && result.output.isEmpty)
        #expect(
            result.errors.hasPrefix("trace.jsonl:2:1: the storyboard has no scene nope: map it by"),
            "\(result.errors)")
    }

    @Test(
        "A first line with which no session can start is named with its file",
        arguments: [
            (#""flags":{"nope":true}"#, "the storyboard has no flag nope"),
            (#""username":"a b""#, "/username: expected"),
        ])
    func firstLine(member: String, reason: String) async throws {
        let result = try await Shell.run(
            """
            printf '{"waypostTrace":1,%s}\n{}\n' '\(member)' > b.jsonl
            \(Shell.waypost) verify \(Shell.checkout.path)/Examples/Traces/library.jsonl b.jsonl
            """)
        #expect(result.status == 2)
        #expect(
            result.errors.hasPrefix("b.jsonl:1:1: the session could not be opened: \(reason)"),
            "\(result.errors)")
    }

    @Test("Reports and the coverage are those of flows") func reports() async throws {
        let traces = Shell.checkout.appending(path: "Examples/Traces").path
        let result = try await Shell.run(
            """
            \(Shell.waypost) verify \(traces)/library.jsonl \(traces)/missing-callback.jsonl \
                --coverage --report junit=a.xml --report json=a.json | grep coverage
            grep -c '<testcase ' a.xml; jq -c '[.passed, .failed, .flows[1].steps[4].status]' a.json
            """)
        #expect(
            result.output
                == "coverage of Library: 50.0 % (8 of 16)\n2\n[1,1,\"failed\"]\n")
    }
}
