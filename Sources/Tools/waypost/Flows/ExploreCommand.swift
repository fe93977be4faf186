import ArgumentParser
import Exploration
import Flows
import Foundation
import NavigationRules

struct ExploreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explore",
        abstract: "Try all actions that a user of an app can do, and print the defects of the app.",
        discussion: """
            Finds scenes, segues, tabs and links that no user can reach, links that cannot be shown, \
            states from which no tap leads back to a root, screens and back buttons without a title, \
            and scenes that a user can reach without the log-in that they require. Each finding is \
            proved; what can be neither proved nor excluded is unknown. Exits with 0 if nothing is \
            unknown and no finding is an error, with 1 if a finding is an error, with 2 if the \
            command could not run, and with 3 if no finding is an error, but something is unknown or \
            rows were left out.

            \(DataOptions.help)
            """)

    @OptionGroup(title: "App") var data: DataOptions

    @OptionGroup var rows: RowLimit

    @Flag(help: "Print JSON.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "A folder for flow files: a flow for each scene, tab, segue, link, dead end and refusal.",
            valueName: "folder"))
    var flows: String?

    func run() throws {
        var exploration = Exploration(try data.load(showsWarnings: false).app, rows.limits)
        let showsProgress = FlowOutput.controls(STDERR_FILENO)
        let report = exploration.run { heads, moves in
            if showsProgress { FlowOutput.showProgress("\(heads) heads, \(moves) moves") }
        }
        if showsProgress { FlowOutput.showProgress("") }
        if json { printJSON(report.json) } else { printOutput(report.text) }
        if let flows { try write(exploration, to: flows) }
        if report.hasErrors { throw ExitStatus.findings }
        if !report.isComplete { throw ExitStatus.unknown }
    }

    private func write(_ exploration: Exploration, to folder: String) throws {
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true)
            let storyboard = data.storyboard.map { RelativePath.from(folder, to: $0) }
            let flows = exploration.flows(storyboard: storyboard)
            for (file, text) in flows {
                try OutputFile.write(text, to: "\(folder)/\(file)")
            }
            printError("wrote \(flows.count) flows to \(folder)".printableLine)
        } catch {
            let reason = systemReason(of: error)
            throw CommandFailure("the flows cannot be written to \(folder): \(reason)")
        }
    }
}

/// The option for the rows of data that an exploration of an app selects.
struct RowLimit: ParsableArguments {
    @Option(
        help: "The maximum number of rows of data to select in each table; 0 for all rows.")
    var maxRows = Exploration.Limits.defaultRows

    var limits: Exploration.Limits {
        var limits = Exploration.Limits()
        limits.rows = maxRows == 0 ? nil : maxRows
        return limits
    }

    func validate() throws { try checkRanges([("max-rows", maxRows, 0...1_000_000)]) }
}
