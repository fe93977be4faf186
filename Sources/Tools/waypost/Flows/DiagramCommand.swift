import ArgumentParser
import Flows
import Foundation
import JSON
import NavigationRules
import WaypostAPI
import WaypostCore

struct DiagramCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diagram",
        abstract: "Print a storyboard as a graph.",
        discussion: """
            Mermaid is for a README on GitHub, and dot is for Graphviz. The image svg is drawn by \
            Graphviz, whose program `dot` must be installed. With --coverage, the parts of the storyboard that the flows have used are green, and the other \
            parts are red.

            \(DataOptions.help)
            """)

    @OptionGroup(title: "App") var data: DataOptions

    @Option(help: "The format of the graph.")
    var format = Format.mermaid

    @Option(
        help: ArgumentHelp(
            "A JSON report that `waypost test --report json=FILE` has written.", valueName: "file"))
    var coverage: String?

    func run() throws {
        let storyboard = try data.load(showsWarnings: false)
            .app.storyboard
        let graph = StoryboardGraph(storyboard, used: try used(of: storyboard))
        switch format {
        case .mermaid: printOutput(String(graph.mermaid.dropLast()))
        case .dot: printOutput(String(graph.dot.dropLast()))
        case .svg: try Graphviz.printSVG(of: graph.dot)
        }
    }

    /// Reads the report that `--coverage` names.
    /// - Returns: the parts of the storyboard that the flows of the report have used; nil if no
    ///   report is named.
    /// - Throws: `CommandFailure` if the file is not a report, or has no coverage of the
    ///   storyboard; `FileFailure` if it cannot be read.
    private func used(of storyboard: Storyboard) throws -> Set<String>? {
        guard let coverage else { return nil }
        let bytes = try InputFile.bytes(coverage)
        guard let json = try? JSONValue(parsing: Array(bytes), maximumDepth: 32),
            let apps = json["coverage"]?.elements
        else {
            throw CommandFailure("\(coverage): expected the JSON report of `waypost test`")
        }
        // Other storyboards can have the same name, and a storyboard can have copies.
        let found = apps.filter { $0["entityTag"]?.text == storyboard.entityTag.description }
        guard !found.isEmpty else {
            throw CommandFailure(
                "\(coverage): the report has no coverage of the storyboard \(storyboard.name) as it is "
                    + "now: run the flows again")
        }
        return Set(found.flatMap { $0["used"]?.texts ?? [] })
    }
}

extension DiagramCommand {
    enum Format: String, CaseIterable, ExpressibleByArgument {
        case mermaid, dot, svg
    }
}
