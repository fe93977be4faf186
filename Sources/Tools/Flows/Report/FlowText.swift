import JSON

/// Writes the results of flows (scripted tests) as text for a terminal, with or without colours.
package struct FlowText: Sendable {
    package let hasColors: Bool
    /// The width of the column with the expected values, in characters.
    private let column = 38
    /// The number of steps that a report shows before and after a failed step.
    private let around = 3

    /// - Parameter hasColors: whether the returned texts contain escape sequences for colours.
    package init(hasColors: Bool) { self.hasColors = hasColors }

    private enum Color: String {
        case red = "31"
        case green = "32"
        case yellow = "33"
        case dim = "2"
        case bold = "1"
    }

    private func paint(_ text: String, _ color: Color) -> String {
        hasColors ? "\u{1B}[\(color.rawValue)m\(text)\u{1B}[0m" : text
    }

    /// Returns the result of a flow (a scripted test) as text: one line, or several if the flow
    /// failed.
    package func text(of result: FlowResult) -> String {
        let place = paint(shown("\(result.flow.place.file):\(result.flow.place.line)"), .dim)
        switch result.status {
        case .passed:
            let time = (result.seconds * 1000).fixed(1)
            return "\(paint("passed", .green))  \(shown(result.flow.name))  \(place)  \(time) ms"
        case .skipped:
            return "\(paint("skipped", .yellow)) \(shown(result.flow.name))  \(place)  "
                + shown(result.reason ?? "")
        case .failed:
            return
                ([
                    "\(paint("failed", .red))  \(paint(shown(result.flow.name), .bold))  \(place)"
                ] + failure(of: result)).joined(separator: "\n")
        }
    }

    private func failure(of result: FlowResult) -> [String] {
        guard let failure = result.failure else { return [] }
        var lines = [""]
        for (index, step) in result.steps.enumerated()
        where abs(index - failure.step) <= around {
            let mark =
                switch step.status {
                case .passed: paint("✓", .green)
                case .failed: paint("✗", .red)
                case .skipped: " "
                }
            var line = String(step.step.place.line)
            if step.step.place.file != result.flow.place.file {
                // The step comes from a file that the flow uses.
                line = "\(step.step.place.file.split(separator: "/").last ?? ""):\(line)"
            }
            let number = String(repeating: " ", count: max(0, 4 - line.count)) + line
            let text = shown(step.step.text)
            let isFailed = index == failure.step
            lines.append(
                "  \(mark) \(number)  \(isFailed ? paint(text, .bold) : paint(text, .dim))")
        }
        lines += ["", "  \(paint(shown(failure.reason), .red))"]
        if let hint = failure.hint { lines.append("  \(hint)") }
        for mismatch in failure.mismatches { lines += sideBySide(mismatch) }
        if !failure.screen.isEmpty {
            lines.append("")
            lines += failure.screen.split(separator: "\n").map { "  \(shown(String($0)))" }
        }
        return lines + [""]
    }

    /// Returns lines that show the expected and the found value side by side. A list has one
    /// element on each line.
    private func sideBySide(_ mismatch: Mismatch) -> [String] {
        let expected = mismatch.expectation.value.lines
        let found = mismatch.found.lines
        var lines = [
            "",
            "  \(paint(shown(mismatch.expectation.key), .bold))"
                + paint(", line \(mismatch.expectation.place.line)", .dim),
            "    " + padded("expected", column) + "found",
        ]
        for index in 0..<max(expected.count, found.count, 1) {
            let left = index < expected.count ? shown(expected[index]) : ""
            let right = index < found.count ? shown(found[index]) : ""
            let isSame = left == right
            let cells = right.isEmpty ? cut(left, column) : padded(left, column) + right
            lines.append(
                (isSame ? "    " : "  \(paint("≠", .red)) ")
                    + (isSame ? paint(cells, .dim) : cells))
        }
        return lines
    }

    private func padded(_ text: String, _ width: Int) -> String {
        let cut = cut(text, width)
        return cut + String(repeating: " ", count: width - cut.count)
    }

    private func cut(_ text: String, _ width: Int) -> String {
        text.count < width ? text : String(text.prefix(width - 2)) + "…"
    }

    private func shown(_ text: String) -> String {
        (text.contains("\n") ? text.replacing("\n", with: " ") : text).printable
    }

    /// Returns the numbers of passed, failed and skipped flows, and the duration of the run. If
    /// `showsCoverage` is true, adds the coverage of each app and the parts that no flow has used.
    package func summary(of report: FlowReport, showsCoverage: Bool) -> String {
        var lines: [String] = []
        let failed = report.count(.failed)
        let skipped = report.count(.skipped)
        let numbers =
            "\(report.count(.passed)) passed, \(failed) failed"
            + (skipped > 0 ? ", \(skipped) skipped" : "")
        lines.append(
            "\(paint(numbers, failed > 0 ? .red : .green)); \(report.stepCount) steps in "
                + "\(report.seconds.fixed(2)) s")
        guard showsCoverage else { return lines[0] }
        for coverage in report.coverage {
            lines.append(
                "coverage of \(shown(coverage.app)): \(coverage.percent.fixed(1)) % "
                    + "(\(coverage.used.count) of \(coverage.all.count))")
            for kind in Coverage.Part.Kind.allCases {
                let names = coverage.unused.filter { $0.kind == kind }.map(\.name)
                guard !names.isEmpty else { continue }
                lines.append(
                    "  never used, \(kind.rawValue): "
                        + shown(names.joined(separator: ", ")))
            }
        }
        return lines.joined(separator: "\n")
    }
}

extension JSONValue {
    /// The lines that show the value: one line for each element of a list, and a single line for
    /// any other value.
    fileprivate var lines: [String] {
        if let elements, !elements.isEmpty { return elements.map(\.flowStyle) }
        return [flowStyle]
    }
}
