import ArgumentParser
import Flows
import Foundation
import Navigation

struct ExploreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explore",
        abstract: "Try all actions that a user of an app can do, and print the defects of the app.",
        discussion: """
            Finds scenes, segues, tabs and links that no user can reach, links that cannot be shown, \
            states from which no tap leads back to a root, screens and back buttons without a title, \
            and scenes that a user can reach without the log-in that they require. Exits with 0 if \
            the search is complete and no finding is an error, with 1 if a finding is an error, and \
            with 2 if the search stopped at a limit without an error or could not run.

            \(DataOptions.help)
            """)

    @OptionGroup(title: "App") var data: DataOptions

    @Option(
        help: "The maximum number of rows of data to select in each table; 0 for all rows.")
    var maxRows = 3

    @Option(help: "The maximum number of actions one after the other.")
    var maxDepth = 30

    @Option(help: "The maximum number of different states of the app to visit.")
    var maxStates = 100_000

    @Flag(help: "Print JSON.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "A folder for flow files: a shortest flow for each scene, segue, link and refusal.",
            valueName: "folder"))
    var flows: String?

    func validate() throws {
        try checkRanges([
            ("max-rows", maxRows, 0...1_000_000), ("max-depth", maxDepth, 1...10_000),
            ("max-states", maxStates, 1...100_000_000),
        ])
    }

    func run() throws {
        var limits = Exploration.Limits()
        limits.rows = maxRows == 0 ? nil : maxRows
        limits.depth = maxDepth
        limits.states = maxStates
        var exploration = Exploration(try data.load(showsWarnings: false).app, limits)
        let showsProgress = FlowOutput.controls(STDERR_FILENO)
        let report = exploration.run { states, transitions in
            if showsProgress { progress("\(states) states, \(transitions) transitions") }
        }
        if showsProgress { progress("") }
        printOutput(json ? report.json : report.text)
        if let flows { try write(exploration, to: flows) }
        if report.hasErrors { throw ExitStatus.findings }
        if !report.isComplete { throw ExitStatus.couldNotRun }
    }

    private func progress(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data("\r\u{1B}[K\(text)".utf8))
    }

    private func write(_ exploration: Exploration, to folder: String) throws {
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true)
            let storyboard = data.storyboard.map { RelativePath.from(folder, to: $0) }
            let flows = exploration.flows(storyboard: storyboard)
            for (file, text) in flows {
                try text.write(toFile: "\(folder)/\(file)", atomically: true, encoding: .utf8)
            }
            printError("wrote \(flows.count) flows to \(folder)".printableLine)
        } catch {
            printError("the flows cannot be written to \(folder): \(error)".printableLine)
            throw ExitStatus.couldNotRun
        }
    }
}
