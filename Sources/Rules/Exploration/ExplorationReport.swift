import JSON

/// A problem that an exploration found in an app, such as a scene that no user can reach.
package struct Finding: Sendable, Equatable {
    package enum Severity: String, Sendable {
        case error, warning
        /// The exploration can neither prove nor exclude the problem.
        case unknown
    }

    package enum Kind: String, Sendable {
        case deadEnd = "dead-end"
        case unreachableScene = "unreachable-scene"
        case unreachableTab = "unreachable-tab"
        case unreachableSegue = "unreachable-segue"
        case appSceneAtLogin = "app-scene-at-login"
        case refused, link
        case linkNotTried = "link-not-tried"
        case noTitle = "no-title"
        case noBackTitle = "no-back-title"
        case lostAction = "lost-action"
    }

    package let severity: Severity
    package let kind: Kind
    /// The name of the scene that has the problem; nil for a link that was not tried.
    package var scene: String?
    /// The segue, the path of the link, the index of the tab or the name of the lost action that has
    /// the problem; nil if it is a row without a segue, or the scene itself.
    package var part: String?
    /// The message for people.
    package let text: String
    /// The steps of a flow from the launch to the problem; nil for something that never happens,
    /// and for what is unknown because nothing leads there.
    package var flow: [String]?
    /// Whether no shorter flow leads to the problem.
    package var isShortest = true
}

/// The result of an exploration: the size of the explored app, and the problems that were found.
package struct ExplorationReport: Sendable {
    /// The name of the storyboard.
    package let app: String
    /// The number of heads that were reached, see `Head`, and of actions between them. In an app
    /// with guests or flags, the number of windows.
    package let heads: Int
    /// Whether `heads` counts windows.
    package var countsWindows = false
    package let moves: Int
    /// The number of rows of data that the exploration selected in each table; nil if it left out
    /// no row.
    package let rows: Int?
    /// The number of rows of the longest table of which rows were left out; 0 if there is none.
    package let longestTable: Int
    /// The problems of the app, and what is unknown.
    package let findings: [Finding]
    /// The duration of the exploration, in seconds.
    package let seconds: Double

    /// False if something is unknown, or if rows were left out.
    package var isComplete: Bool {
        rows == nil && !findings.contains { $0.severity == .unknown }
    }

    package var hasErrors: Bool { findings.contains { $0.severity == .error } }

    package var json: String {
        JSONWriter.text { json in
            json.member("app", app)
            json.member("complete", isComplete)
            json.member("heads", heads)
            json.member("moves", moves)
            json.name("rows")
            if let rows { json.integer(rows) } else { json.null() }
            json.name("longestTable")
            if rows != nil { json.integer(longestTable) } else { json.null() }
            json.name("seconds")
            json.real(seconds)
            json.objects("findings", findings.filter { $0.severity != .unknown }) { json, finding in
                json.member("severity", finding.severity.rawValue)
                finding.writeMembers(to: &json)
                json.member("text", finding.text)
                json.member("certainty", "proved")
                if finding.flow != nil { json.member("shortest", finding.isShortest) }
                finding.writeFlow(to: &json)
            }
            json.objects("unknown", findings.filter { $0.severity == .unknown }) { json, finding in
                finding.writeMembers(to: &json)
                json.member("why", finding.text)
                finding.writeFlow(to: &json)
            }
        }
    }

    package var text: String {
        let numbers = "\(app): \(heads) \(countsWindows ? "windows" : "heads"), \(moves) moves"
        var lines = findings.map { "\($0.severity.rawValue): \($0.text)" }
        if let rows { lines.append("rows: \(rows) of \(longestTable) in the longest table") }
        return ([numbers] + lines + [end].compactMap(\.self)).joined(separator: "\n")
    }

    /// The last line of the text: whether the exploration found nothing, or could not decide
    /// everything; nil if there are findings and the exploration is complete.
    private var end: String? {
        guard isComplete else {
            let count = findings.count { $0.severity == .unknown }
            var reasons = ["\(count) \(count == 1 ? "finding is" : "findings are") unknown"]
            if count == 0 { reasons = ["rows were left out"] }
            if rows != nil { reasons.append("raise --max-rows, or set it to 0 for all rows") }
            return "incomplete: \(reasons.joined(separator: "; "))"
        }
        return findings.isEmpty ? "no findings" : nil
    }
}

extension Finding {
    fileprivate func writeMembers(to json: inout JSONWriter) {
        json.member("kind", kind.rawValue)
        if let scene { json.member("scene", scene) }
        guard let part else { return }
        switch kind {
        case .unreachableTab: json.member("tab", part)
        case .link, .linkNotTried: json.member("link", part)
        // The name is a title; `text` has it.
        case .lostAction: break
        default: json.member("segue", part)
        }
    }

    fileprivate func writeFlow(to json: inout JSONWriter) {
        json.name("flow")
        guard let flow else { return json.null() }
        json.array(flow) { json, step in json.string(step) }
    }
}
