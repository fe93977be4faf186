import ArgumentParser
import Flows
import Foundation
import JSON
import WaypostCore

struct DiagramCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diagram",
        abstract: "Print a storyboard as a graph.",
        discussion: """
            Mermaid is for a README on GitHub, dot is for Graphviz, and svg is an image. With \
            --coverage, the parts of the storyboard that the flows have used are green, and the other \
            parts are red.

            \(DataOptions.help)
            """)

    @OptionGroup(title: "App") var data: DataOptions

    @Option(help: "The format of the graph.")
    var format = StoryboardGraph.Format.mermaid

    @Option(
        help: ArgumentHelp(
            "A JSON report that `waypost test --report json=FILE` has written.", valueName: "file"))
    var coverage: String?

    func run() throws {
        let storyboard = try data.load(showsWarnings: false)
            .app.storyboard
        let graph = StoryboardGraph(storyboard, used: try used(of: storyboard.name))
        printOutput(String(graph.text(format).dropLast()))
    }

    /// Reads the report that `--coverage` names.
    /// - Parameter app: the name of the storyboard.
    /// - Returns: the parts of the storyboard that the flows of the report have used; nil if no
    ///   report is named.
    /// - Throws: `ExitStatus` if the file is not a report, or has no coverage of the
    ///   storyboard. The reason is printed first.
    private func used(of app: String) throws -> Set<String>? {
        guard let coverage else { return nil }
        guard let data = FileManager.default.contents(atPath: coverage),
            let json = try? JSONValue(parsing: Array(data), maximumDepth: 32),
            let apps = json["coverage"]?.elements
        else {
            printError(
                "\(coverage): expected the JSON report of `waypost test`".printableLine)
            throw ExitStatus.couldNotRun
        }
        guard let found = apps.first(where: { $0["app"]?.text == app }) else {
            printError(
                "\(coverage): the report has no coverage of the storyboard \(app)".printableLine)
            throw ExitStatus.couldNotRun
        }
        return Set(found["used"]?.texts ?? [])
    }
}

extension StoryboardGraph.Format: ExpressibleByArgument {}
