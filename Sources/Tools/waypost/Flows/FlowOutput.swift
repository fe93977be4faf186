import Flows
import Foundation

/// Prints the result of each flow, a scripted test of the app, as soon as the flow has ended. The
/// output has colours and progress on a terminal, and is plain text elsewhere.
final class FlowOutput {
    private let text: FlowText
    private let count: Int
    private let showsProgress: Bool
    private var finished = 0
    private let start = ContinuousClock().now

    init(count: Int) {
        text = FlowText(hasColors: Self.controls(STDOUT_FILENO))
        self.count = count
        showsProgress = Self.controls(STDERR_FILENO)
    }

    /// Returns whether a descriptor is a terminal that gets colours and progress. The environment
    /// variable `NO_COLOR` and the terminal type `dumb` turn both off.
    static func controls(_ descriptor: Int32) -> Bool {
        let environment = ProcessInfo.processInfo.environment
        return isatty(descriptor) == 1 && (environment["NO_COLOR"] ?? "").isEmpty
            && environment["TERM"] != "dumb"
    }

    /// Prints a result and, on a terminal, the number of flows that have ended so far.
    func note(_ result: FlowResult) {
        finished += 1
        if showsProgress { Self.showProgress("") }
        StandardOutput.write(text.text(of: result) + "\n")
        if showsProgress, finished < count { Self.showProgress("\(finished) of \(count)") }
    }

    /// Prints the summary of the run, which has begun with the creation of this object.
    func end(
        _ results: [FlowResult], coverage: [Coverage], showsCoverage: Bool
    ) -> FlowReport {
        let seconds = (ContinuousClock().now - start) / .seconds(1)
        let report = FlowReport(results, coverage: coverage, seconds: seconds)
        StandardOutput.write(text.summary(of: report, showsCoverage: showsCoverage) + "\n")
        return report
    }

    /// Replaces the line of a terminal on standard error with a text.
    static func showProgress(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data("\r\u{1B}[K\(text)".utf8))
    }
}
