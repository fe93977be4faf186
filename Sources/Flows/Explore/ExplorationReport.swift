import JSON

/// A problem that an exploration found in an app, such as a scene that no user can reach.
public struct Finding: Sendable, Equatable {
    public enum Severity: String, Sendable {
        case error, warning
    }

    public let severity: Severity
    /// The kind of the problem, such as `dead-end` or `unreachable-scene`.
    public let kind: String
    public let text: String
}

/// The problems that an exploration has found, without duplicates.
struct FindingList {
    private(set) var all: [Finding] = []
    private var known: Set<String> = []

    /// Adds a finding, unless the list already has a finding with the same kind and key. The key
    /// says which part of the app has the problem, and `text` is the message for people.
    mutating func add(_ severity: Finding.Severity, _ kind: String, _ key: String, _ text: String) {
        guard known.insert("\(kind) \(key)").inserted else { return }
        all.append(Finding(severity: severity, kind: kind, text: text))
    }
}

/// The result of an exploration: the size of the explored app, and the problems that were found.
public struct ExplorationReport: Sendable {
    /// The name of the storyboard.
    public let app: String
    public let states: Int
    public let transitions: Int
    /// The number of actions on the shortest path from the launch to the most distant state.
    public let depth: Int
    /// False if the exploration left a state unexplored because of `Limits.depth` or
    /// `Limits.states`; otherwise true.
    public let isComplete: Bool
    public let findings: [Finding]
    /// The duration of the exploration, in seconds.
    public let seconds: Double

    public var hasErrors: Bool { findings.contains { $0.severity == .error } }

    public var json: String {
        var json = JSONWriter()
        json.object { json in
            json.member("app", app)
            json.member("states", states)
            json.member("transitions", transitions)
            json.member("depth", depth)
            json.member("complete", isComplete)
            json.name("seconds")
            json.real(seconds)
            json.objects("findings", findings) { json, finding in
                json.member("severity", finding.severity.rawValue)
                json.member("kind", finding.kind)
                json.member("text", finding.text)
            }
        }
        return String(decoding: json.bytes, as: UTF8.self)
    }

    public var text: String {
        let limit = isComplete ? "" : " (stopped at --depth or --states)"
        let numbers =
            "\(app): \(states) states, \(transitions) transitions, "
            + "\(depth) actions at most\(limit)"
        let lines = findings.map { "\($0.severity.rawValue): \($0.text)" }
        return ([numbers] + (lines.isEmpty ? ["no findings"] : lines)).joined(separator: "\n")
    }
}
