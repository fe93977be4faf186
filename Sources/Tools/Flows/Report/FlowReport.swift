import Foundation

/// The results of a run of flows (scripted tests), which can be written in several formats.
package struct FlowReport: Sendable {
    package let results: [FlowResult]
    package let coverage: [Coverage]
    /// The duration of the run, in seconds.
    package let seconds: Double

    package init(_ results: [FlowResult], coverage: [Coverage] = [], seconds: Double) {
        self.results = results
        self.coverage = coverage
        self.seconds = seconds
    }

    package enum Format: String, Sendable, CaseIterable {
        case junit, json, html
    }

    package func text(_ format: Format) -> String {
        switch format {
        case .junit: junit
        case .json: json
        case .html: html
        }
    }

    package func count(_ status: FlowResult.Status) -> Int {
        results.count { $0.status == status }
    }

    package var stepCount: Int {
        results.reduce(0) { $0 + $1.steps.count { $0.status != .skipped } }
    }

    /// The results grouped by flow file, in the order in which the files first appear in `results`.
    var suites: [(file: String, results: [FlowResult])] {
        var order: [String] = []
        var suites: [String: [FlowResult]] = [:]
        for result in results {
            let file = result.flow.place.file
            if suites[file] == nil { order.append(file) }
            suites[file, default: []].append(result)
        }
        return order.map { ($0, suites[$0] ?? []) }
    }

    /// The percentage of storyboard parts, such as scenes and segues, that flows have used, over
    /// all apps; 100 if there are no parts.
    package var coveragePercent: Double {
        let all = coverage.reduce(0) { $0 + $1.all.count }
        let used = coverage.reduce(0) { $0 + $1.used.count }
        return all == 0 ? 100 : 100 * Double(used) / Double(all)
    }
}

extension FlowResult {
    /// The failure on several lines: its reason, each expected and found value, and the screen. If
    /// the flow did not fail, the reason why the flow was skipped, or an empty text.
    var failureText: String {
        guard let failure else { return reason ?? "" }
        var lines = [failure.reason] + (failure.hint.map { [$0] } ?? [])
        for mismatch in failure.mismatches {
            lines.append("\(mismatch.expectation.key):")
            lines.append("  expected \(mismatch.expectation.value.flowStyle)")
            lines.append("  found    \(mismatch.found.flowStyle)")
        }
        if !failure.screen.isEmpty { lines += ["", failure.screen] }
        return lines.joined(separator: "\n")
    }
}

extension Double {
    /// Returns the number with a fixed count of digits after the decimal point.
    func fixed(_ digits: Int) -> String { String(format: "%.\(digits)f", self) }
}

extension String {
    /// The text with the characters `&`, `<`, `>`, `"` and the carriage return escaped for XML and
    /// HTML. The characters that XML forbids become U+FFFD, the replacement character.
    var escapedForXML: String {
        var text = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "\"": text += "&quot;"
            case "\r": text += "&#13;"
            case "\n", "\t": text.unicodeScalars.append(scalar)
            default:
                let isForbidden =
                    scalar.value < 32 || scalar.value == 0xFFFE
                    || scalar.value == 0xFFFF
                text.unicodeScalars.append(isForbidden ? "\u{FFFD}" : scalar)
            }
        }
        return text
    }
}
