import Foundation
import SessionStoreTesting
import Testing
import WaypostTesting

/// Tests of the README's commands, run in a shell with curl.
@Suite(.everyStore) struct ReadmeTests {
    @Test(
        "The commands of the README print the output that the README shows",
        arguments: [
            ("## A walk with curl", nil, 15),
            ("## A second app: segments", "Examples/Patterns/Segments.json", 2),
        ] as [(String, String?, Int)])
    func walk(_ heading: String, _ storyboard: String?, _ minimum: Int) async throws {
        let service = try TestService(
            storyboard: storyboard.map { Shell.checkout.appending(path: $0).path })
        let readme = try String(
            contentsOf: Shell.checkout.appending(path: "README.md"), encoding: .utf8)
        let steps = try Self.walk(heading, in: readme)
        try #require(steps.count >= minimum)
        let host = "127.0.0.1:\(service.base.port ?? 0)"
        let script = steps.map { "\($0.commands)\nprintf '\(Self.mark)'" }.joined(separator: "\n")
        let result = try await Shell.run(script.replacing("localhost:8080", with: host))
        let answers = result.output.components(separatedBy: Self.mark).dropLast()
        #expect(result.errors.isEmpty)
        try #require(answers.count == steps.count)
        for (step, answer) in zip(steps, answers) {
            #expect(
                Self.blanked(answer.trimmingCharacters(in: .newlines))
                    == Self.blanked(step.answer), "\(step.commands)")
        }
    }

    private static let mark = "\u{1e}"

    private struct Step {
        let commands: String
        let answer: String
    }

    /// Returns each `sh` block below a heading, with the `json` block that follows it, if any.
    private static func walk(_ heading: String, in readme: String) throws -> [Step] {
        let start = try #require(readme.range(of: heading))
        let end = try #require(readme.range(of: "\n## ", range: start.upperBound..<readme.endIndex))
        let walk = String(readme[start.upperBound..<end.lowerBound])
        let block = /```sh\n((?:(?!```).|\n)*?)```\n(?:\n```json\n((?:(?!```).|\n)*?)```)?/
        return walk.matches(of: block).map { match in
            Step(
                commands: String(match.1),
                answer: String(match.2 ?? "").trimmingCharacters(in: .newlines))
        }
    }

    /// Returns the text with ids, secrets and times blanked, because they differ from run to run.
    private static func blanked(_ text: String) -> String {
        text.replacing(/wp[sc]_[0-9a-f]{64}/, with: "SECRET")
            .replacing(/"id": "[0-9a-f]{32}"/, with: "ID")
            .replacing(/"instance": "[0-9a-z]{13}"/, with: "INSTANCE")
            .replacing(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/, with: "TIME")
    }
}
