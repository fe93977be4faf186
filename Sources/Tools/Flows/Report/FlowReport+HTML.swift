extension FlowReport {
    private static let style = """
        html { background: #fff; color: #111; }
        body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; }
        details { border: 1px solid #8884; border-radius: 6px; margin: .4rem 0; padding: .4rem .8rem; }
        summary { cursor: pointer; }
        pre { overflow-x: auto; line-height: 1.2; }
        .passed { color: #17803d; } .failed { color: #c22; } .skipped { color: #666; }
        @media (prefers-color-scheme: dark) {
          html { background: #18181b; color: #eee; }
          .passed { color: #4cc38a; } .failed { color: #ff8080; } .skipped { color: #aaa; }
        }
        table { border-collapse: collapse; } td, th { padding: .1rem .8rem .1rem 0; text-align: left; }
        :root { color-scheme: light dark; }
        """

    /// The report as one HTML page. The page has no scripts and no pictures, and a browser loads no
    /// other file for it.
    var html: String {
        var lines = [
            "<!DOCTYPE html>", #"<html lang="en"><head><meta charset="utf-8">"#,
            #"<meta name="viewport" content="width=device-width">"#,
            "<title>Flows: \(count(.failed)) of \(results.count) failed</title>",
            "<style>\(Self.style)</style></head><body><main>",
            "<h1>Flows</h1>",
            #"<p><span class="passed">\#(count(.passed)) passed</span>, "#
                + #"<span class="failed">\#(count(.failed)) failed</span>, "#
                + #"<span class="skipped">\#(count(.skipped)) skipped</span>, "#
                + "\(stepCount) steps in \(seconds.fixed(2)) s</p>",
        ]
        for (file, results) in suites {
            lines.append("<h2>\(file.escapedForXML)</h2>")
            for result in results { lines.append(html(of: result)) }
        }
        for coverage in coverage {
            lines.append(
                "<h2>Coverage of \(coverage.app.escapedForXML): \(coverage.percent.fixed(1)) %</h2>"
            )
            let unused = coverage.unused.map { "<li>\($0.description.escapedForXML)</li>" }
            lines.append("<p>Never used:</p><ul>\(unused.joined())</ul>")
        }
        return (lines + ["</main></body></html>"]).joined(separator: "\n") + "\n"
    }

    private func html(of result: FlowResult) -> String {
        let status = result.status.rawValue
        var text = "<details\(result.status == .failed ? " open" : "")><summary>"
        text += #"<span class="\#(status)">\#(status)</span> \#(result.flow.name.escapedForXML)"#
        text += "</summary><table>"
        for step in result.steps {
            let status = step.status.rawValue
            text += #"<tr><td class="\#(status)">\#(status)</td><td>\#(step.step.place.line)</td>"#
            text += "<td><code>\(step.step.text.escapedForXML)</code></td></tr>"
        }
        text += "</table>"
        if result.status != .passed {
            text += "<pre>\(result.failureText.escapedForXML)</pre>"
        }
        return text + "</details>"
    }
}
