import JSON
import NavigationRules

extension PathSearch.Answer {
    /// Returns the answer as a flow, which is a scripted test of the app in YAML; nil if there is no
    /// path.
    /// - Parameters:
    ///   - storyboard: the path that the flow names as its `app`; nil to leave it out.
    ///   - keys: further keys of the flow with their values, such as `strict: true`.
    package func flow(
        from start: String, to scene: Scene.Name, storyboard: String?, keys: [String] = []
    ) -> String? {
        guard case .path(let way) = self else { return nil }
        var lines = ["name: \("\(start) to \(scene)".asPlainScalar)"]
        if let storyboard { lines.append("app: \(storyboard.asPlainScalar)") }
        lines += keys
        if !way.accounts.isEmpty { lines.append("accounts: \(way.accounts)") }
        lines.append("steps:")
        lines += way.before.map { "  - \($0)" }
        if !way.before.isEmpty {
            lines.append("  # from here: \(start.onOneLine)")
        }
        if !way.isShortest {
            lines.append(
                "  # There may be a shorter way, by a row or a link that was left out, or another tab."
            )
        }
        lines += (way.steps + [way.check]).map { "  - \($0)" }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Returns the answer as text for people: the flow, or the sentence that there is none.
    /// - Parameters:
    ///   - keys: see `flow`.
    ///   - isExplained: whether to add the proof, with one scene on each line.
    package func text(
        from start: String, to scene: Scene.Name, storyboard: String?, keys: [String] = [],
        isExplained: Bool = false
    ) -> String {
        let way = "from \(start) to \(scene)".onOneLine
        switch self {
        case .path: return flow(from: start, to: scene, storyboard: storyboard, keys: keys) ?? ""
        case .unknown: return "unknown: no way \(way) was found"
        case .none(let reached):
            let sentence = "no user action leads \(way)"
            guard isExplained else { return sentence }
            let heading =
                "\(sentence): user actions lead to these scenes, and from them to no other"
            return ([heading] + reached.map { "  \($0)" }).joined(separator: "\n")
        }
    }

    /// Whether it is proved that the way is a shortest one, or that there is none.
    private var isProved: Bool {
        switch self {
        case .path(let way): way.isShortest
        case .none: true
        case .unknown: false
        }
    }

    /// Returns the answer as JSON.
    /// - Parameter isExplained: whether to add the scenes of the proof.
    package func json(
        from start: String, to scene: Scene.Name, isExplained: Bool = false
    ) -> String {
        JSONWriter.text { json in
            json.member("from", start)
            json.member("to", scene)
            json.member("certainty", isProved ? "proved" : "unknown")
            if isExplained, case .none(let reached) = self { json.member("reached", reached) }
            json.name("flow")
            if case .path(let way) = self {
                json.array(way.before + way.steps) { json, step in json.string(step) }
                json.member("actions", way.steps.count)
            } else {
                json.null()
            }
            json.member("text", text(from: start, to: scene, storyboard: nil))
        }
    }
}
