import JSON

extension FlowReport {
    /// The report as JUnit XML. A test suite is a file of flows (scripted tests), and a test case
    /// is a flow. The steps of the flow are in `system-out`.
    ///
    /// Elements and attributes follow the schema `junit-10.xsd`, with which the xUnit plugin of
    /// Jenkins checks reports. This schema has no attribute for the line of a test case. Line
    /// numbers are therefore only in the failure messages and in `system-out`.
    var junit: String {
        var lines = [#"<?xml version="1.0" encoding="UTF-8"?>"#]
        lines.append(
            #"<testsuites name="waypost" tests="\#(results.count)" failures="\#(count(.failed))""#
                + #" errors="0" time="\#(seconds.fixed(3))">"#)
        for (file, results) in suites {
            let failed = results.count { $0.status == .failed }
            let skipped = results.count { $0.status == .skipped }
            let time = results.reduce(0) { $0 + $1.seconds }
            lines.append(
                #"  <testsuite name="\#(file.escapedForXML)" tests="\#(results.count)" "#
                    + #"failures="\#(failed)" errors="0" skipped="\#(skipped)" "#
                    + #"time="\#(time.fixed(6))" file="\#(file.escapedForXML)">"#)
            for result in results { lines += junitCase(result, file) }
            lines.append("  </testsuite>")
        }
        lines.append("</testsuites>")
        return lines.joined(separator: "\n") + "\n"
    }

    private func junitCase(_ result: FlowResult, _ file: String) -> [String] {
        var lines = [
            #"    <testcase name="\#(result.flow.name.escapedForXML)" "#
                + #"classname="\#(file.escapedForXML)" time="\#(result.seconds.fixed(6))">"#
        ]
        if let failure = result.failure {
            let step = result.steps.isEmpty ? nil : result.steps[failure.step].step
            let place = (step?.place ?? result.flow.place).description
            lines.append(
                #"      <failure message="\#("\(place): \(failure.reason)".escapedForXML)">"#
                    + result.failureText.escapedForXML + "</failure>")
        }
        if result.status == .skipped {
            let reason = (result.reason ?? "").escapedForXML
            lines.append(#"      <skipped message="\#(reason)"/>"#)
        }
        let steps = result.steps.map { step in
            "\(step.status.rawValue) \(step.step.place): \(step.step.text)"
        }
        if !steps.isEmpty {
            let text = steps.joined(separator: "\n").escapedForXML
            lines.append("      <system-out>\(text)</system-out>")
        }
        return lines + ["    </testcase>"]
    }

    var json: String {
        JSONWriter.text(capacity: 1 << 16) { json in
            json.member("passed", count(.passed))
            json.member("failed", count(.failed))
            json.member("skipped", count(.skipped))
            json.name("seconds")
            json.real(seconds)
            json.objects("flows", results) { json, result in write(result, &json) }
            json.objects("coverage", coverage) { json, coverage in
                json.member("app", coverage.app)
                json.member("entityTag", coverage.entityTag)
                json.name("percent")
                json.real(coverage.percent)
                json.member("used", coverage.used.sorted().map(\.description))
                json.member("unused", coverage.unused.map(\.description))
            }
        } + "\n"
    }

    private func write(_ result: FlowResult, _ json: inout JSONWriter) {
        json.member("name", result.flow.name)
        json.member("file", result.flow.place.file)
        json.member("line", result.flow.place.line)
        json.member("status", result.status.rawValue)
        json.member("reason", result.failure?.reason ?? result.reason)
        json.name("seconds")
        json.real(result.seconds)
        json.objects("steps", result.steps) { json, step in
            json.member("step", step.step.text)
            json.member("file", step.step.place.file)
            json.member("line", step.step.place.line)
            json.member("status", step.status.rawValue)
        }
        json.objects("differences", result.failure?.mismatches ?? []) { json, mismatch in
            json.member("key", mismatch.expectation.key)
            json.name("expected")
            json.write(mismatch.expectation.value)
            json.name("found")
            json.write(mismatch.found)
        }
        json.member("screen", result.failure?.screen)
    }
}
