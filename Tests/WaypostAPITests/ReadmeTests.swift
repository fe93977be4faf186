import Foundation
import Testing
import WaypostTesting

/// Tests of the commands in the documents, run in a shell with curl.
@Suite struct ReadmeTests {
    /// Sections of a document with commands, which one shell runs.
    struct Walk {
        let document: String
        let headings: [String]
        /// The path of the storyboard; nil for the built-in one.
        let storyboard: String?
        /// The paths of the options of an import and of the catalog.
        var importOptions: String?
        var catalog: String?
        /// The number of steps that the sections have at least.
        let minimum: Int
    }

    static let walks = [
        Walk(
            document: "README.md", headings: ["## Drive a session over HTTP"], storyboard: nil,
            minimum: 2),
        Walk(
            document: "Examples/Walks.md", headings: ["## The Library"], storyboard: nil,
            minimum: 8),
        Walk(
            document: "Examples/Walks.md", headings: ["## Tabs and sheets: the Bookshop"],
            storyboard: "Examples/Bookshop/Bookshop.json", minimum: 6),
        Walk(
            document: "Examples/Walks.md", headings: ["## A project of Xcode"],
            storyboard: "Examples/XcodeProject",
            importOptions: "Examples/XcodeProject/Waypost.json",
            catalog: "Examples/XcodeProject/Resources/Books.plist", minimum: 3),
    ]

    @Test("The commands of a document print the output that it shows", arguments: walks)
    func walk(_ walk: Walk) async throws {
        let path = { (file: String) in Shell.checkout.appending(path: file).path }
        let service = try TestService(
            storyboard: walk.storyboard.map(path), catalog: walk.catalog.map(path),
            importOptions: walk.importOptions.map(path))
        let document = try String(
            contentsOf: Shell.checkout.appending(path: walk.document), encoding: .utf8)
        let steps = try walk.headings.flatMap { try Self.steps(below: $0, in: document) }
        try #require(steps.count >= walk.minimum)
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
    private static func steps(below heading: String, in document: String) throws -> [Step] {
        let start = try #require(document.range(of: heading))
        let rest = start.upperBound..<document.endIndex
        let end = document.range(of: "\n## ", range: rest)?.lowerBound ?? document.endIndex
        let walk = String(document[start.upperBound..<end])
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
            .replacing(/id: [0-9a-f]{8}\./, with: "id: HISTORY.")
            .replacing(/"requestId": "[0-9a-z]{13}"/, with: "REQUEST-ID")
            .replacing(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/, with: "TIME")
    }
}
