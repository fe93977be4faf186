import ArgumentParser
import Flows
import Foundation

struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Compare traces of a real app with its storyboard and with UIKit's rules.",
        discussion: """
            A trace is a file of JSON lines, which the library WaypostTrace writes in the app. Exits \
            with 0 if all traces agree with the storyboard and the rules, with 1 if a trace departs from \
            them, and with 2 if a trace or the storyboard cannot be read. docs/testing.md describes \
            traces.

            \(DataOptions.help)
            """)

    @Argument(help: "Trace files.")
    var traces: [String]

    @OptionGroup(title: "App") var data: DataOptions

    @Option(
        help: ArgumentHelp(
            "Write a report: junit, tap, json or html.", valueName: "format=file"))
    var report: [ReportFile] = []

    @Flag(help: "Print the parts of the storyboard that no trace has used.")
    var coverage = false

    func validate() throws {
        if traces.isEmpty { throw ValidationError("name a trace file") }
    }

    func run() async throws {
        signal(SIGPIPE, SIG_IGN)
        try report.map(\.path).refuse(
            inputs: traces + data.files(storyboard: data.storyboard).paths)
        let status = await verify()
        if status != .success { throw status }
    }

    /// Compares the traces with the storyboard and UIKit's rules, and prints the results.
    /// - Returns: `findings` if a trace departs from the storyboard or the rules, and `couldNotRun`
    ///   if a file cannot be read or written.
    private func verify() async -> ExitStatus {
        do {
            let app = try data.load(showsWarnings: false).app
            let traces = try TraceReader.read(
                self.traces, scenes: app.storyboard.scenes.keys.sorted())
            let coverage = Coverage(app.storyboard)
            let local = try LocalApp(app)
            let output = FlowOutput(count: traces.count)
            let clock = ContinuousClock()
            let start = clock.now
            var results: [FlowResult] = []
            for trace in traces {
                let result = try await TraceRun.run(trace, of: local, coverage: coverage)
                output.note(result)
                results.append(result)
            }
            let report = FlowReport(
                results, coverage: [coverage], seconds: (clock.now - start) / .seconds(1))
            output.end(report, showsCoverage: self.coverage)
            for file in self.report { try file.write(report) }
            return report.count(.failed) == 0 ? .success : .findings
        } catch let error as FlowDefects {
            for defect in error.defects.prefix(100) {
                printError(defect.description.printableLine)
            }
        } catch is ExitStatus {
            // The defects of the storyboard are printed already.
        } catch {
            printError("\(error)".printableLine)
        }
        return .couldNotRun
    }
}
