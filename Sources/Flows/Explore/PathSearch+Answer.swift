import JSON
import Navigation

extension PathSearch.Answer {
    /// Returns the answer as a flow, which is a scripted test of the app in YAML; nil if there is no
    /// path.
    /// - Parameters:
    ///   - storyboard: the path that the flow names as its `app`; nil to leave it out.
    ///   - keys: further keys of the flow with their values, such as `strict: true`.
    public func flow(
        from start: String, to scene: Scene.Name, storyboard: String?, keys: [String] = []
    ) -> String? {
        guard case .path(let before, let steps, let check, let isShortest) = self else {
            return nil
        }
        var lines = ["name: \("\(start) to \(scene)".asPlainScalar)"]
        if let storyboard { lines.append("app: \(storyboard.asPlainScalar)") }
        lines += keys + ["steps:"]
        lines += before.map { "  - \($0)" }
        if !before.isEmpty { lines.append("  # from here: \(start.replacing("\n", with: " "))") }
        if !isShortest {
            lines.append(
                "  # There may be a shorter way, by a row that was left out or another tab.")
        }
        lines += (steps + [check]).map { "  - \($0)" }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Returns the answer as a sentence; nil if there is a path.
    /// - Parameter isExplained: whether to add the proof, with one scene on each line.
    public func text(
        from start: String, to scene: Scene.Name, isExplained: Bool = false
    ) -> String? {
        switch self {
        case .path: return nil
        case .unknown: return "unknown: no way from \(start) to \(scene) was found"
        case .none(let reached):
            let sentence = "no user action leads from \(start) to \(scene)"
            guard isExplained else { return sentence }
            let heading =
                "\(sentence): user actions lead to these scenes, and from them to no other"
            return ([heading] + reached.map { "  \($0)" }).joined(separator: "\n")
        }
    }

    /// Returns the answer as JSON.
    public func json(from start: String, to scene: Scene.Name) -> String {
        var json = JSONWriter()
        json.object { json in
            json.member("from", start)
            json.member("to", scene)
            json.member("certainty", self == .unknown ? "unknown" : "proved")
            if case .none(let reached) = self { json.member("reached", reached) }
            json.name("flow")
            guard case .path(let before, let steps, _, let isShortest) = self else {
                return json.null()
            }
            json.array(before + steps) { json, step in json.string(step) }
            json.member("actions", steps.count)
            json.member("shortest", isShortest)
        }
        return String(decoding: json.bytes, as: UTF8.self)
    }
}
