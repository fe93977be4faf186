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

    @OptionGroup var reports: ReportOptions

    @Flag(help: "Print the parts of the storyboard that no trace has used.")
    var coverage = false

    func validate() throws {
        if traces.isEmpty { throw ValidationError("name a trace file") }
    }

    func run() async throws {
        signal(SIGPIPE, SIG_IGN)
        try reports.check(inputs: traces + data.files(storyboard: data.storyboard).paths)
        let app = try data.load(showsWarnings: false).app
        let traces = try TraceReader.read(
            self.traces, scenes: app.storyboard.scenes.keys.sorted())
        let coverage = Coverage(app.storyboard)
        let local = try LocalApp(app)
        let output = FlowOutput(count: traces.count)
        var results: [FlowResult] = []
        for trace in traces {
            let result = try await TraceRun.run(trace, of: local, coverage: coverage)
            output.note(result)
            results.append(result)
        }
        let report = output.end(results, coverage: [coverage], showsCoverage: self.coverage)
        try reports.write(report)
        if report.count(.failed) > 0 { throw ExitStatus.findings }
    }
}
