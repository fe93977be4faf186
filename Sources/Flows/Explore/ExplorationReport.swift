import JSON

/// A problem that an exploration found in an app, such as a scene that no user can reach.
public struct Finding: Sendable, Equatable {
    public enum Severity: String, Sendable {
        case error, warning
        /// The exploration stopped too early to say whether this is a problem of the app.
        case unknown
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
    /// A limit of `Exploration.Limits`. The raw value is the option of the command that sets it.
    public enum Limit: String, Sendable, CaseIterable {
        case depth = "--max-depth"
        case states = "--max-states"
        case rows = "--max-rows"
    }

    /// The name of the storyboard.
    public let app: String
    public let states: Int
    public let transitions: Int
    /// The number of actions on the shortest path from the launch to the most distant state.
    public let depth: Int
    /// The limits that left findings unknown, with their values; empty if the exploration is
    /// complete.
    public let stoppedAt: [(limit: Limit, value: Int)]
    /// The number of rows of data that the exploration selected in each table; nil if it left out
    /// no row.
    public let rows: Int?
    /// The problems of the app, and what is unknown because the exploration stopped.
    public let findings: [Finding]
    /// The duration of the exploration, in seconds.
    public let seconds: Double

    init(
        app: String, states: Int, transitions: Int, depth: Int, limits: Exploration.Limits,
        stops: Set<Limit>, hasLeftOutRows: Bool, findings: [Finding], seconds: Double
    ) {
        self.app = app
        self.states = states
        self.transitions = transitions
        self.depth = depth
        rows = hasLeftOutRows ? limits.rows : nil
        self.findings = findings
        self.seconds = seconds
        var stops = stops
        if hasLeftOutRows, findings.contains(where: { $0.severity == .unknown }) {
            stops.insert(.rows)
        }
        stoppedAt = Limit.allCases.filter { stops.contains($0) }.map { limit in
            switch limit {
            case .depth: (limit, limits.depth)
            case .states: (limit, limits.states)
            case .rows: (limit, limits.rows ?? 0)
            }
        }
    }

    /// False if a limit made the exploration stop before it could decide everything.
    public var isComplete: Bool { stoppedAt.isEmpty }

    public var hasErrors: Bool { findings.contains { $0.severity == .error } }

    public var json: String {
        var json = JSONWriter()
        json.object { json in
            json.member("app", app)
            json.member("states", states)
            json.member("transitions", transitions)
            json.member("depth", depth)
            json.member("complete", isComplete)
            json.objects("stoppedAt", stoppedAt) { json, stop in
                json.member("option", stop.limit.rawValue)
                json.member("value", stop.value)
            }
            json.name("rows")
            if let rows { json.integer(rows) } else { json.null() }
            json.name("seconds")
            json.real(seconds)
            json.objects("findings", findings.filter { $0.severity != .unknown }) { json, finding in
                json.member("severity", finding.severity.rawValue)
                json.member("kind", finding.kind)
                json.member("text", finding.text)
            }
            json.objects("unknown", findings.filter { $0.severity == .unknown }) { json, finding in
                json.member("kind", finding.kind)
                json.member("text", finding.text)
            }
        }
        return String(decoding: json.bytes, as: UTF8.self)
    }

    public var text: String {
        let numbers =
            "\(app): \(states) states, \(transitions) transitions, \(depth) actions at most"
        let lines = findings.map { "\($0.severity.rawValue): \($0.text)" }
        return ([numbers] + lines + [end].compactMap(\.self)).joined(separator: "\n")
    }

    /// The last line of the text: whether the exploration found nothing, or could not decide
    /// everything; nil if there are findings and the exploration is complete.
    private var end: String? {
        guard !isComplete else {
            guard findings.isEmpty else { return nil }
            guard let rows else { return "no findings" }
            return "no findings with the first \(rows) rows of data in each table (--max-rows)"
        }
        let limits = stoppedAt.map { "\($0.limit.rawValue) \($0.value)" }
        let options = stoppedAt.map(\.limit.rawValue)
        return "incomplete: stopped at \(limits.joined(separator: " and ")), and what lies beyond "
            + "is unknown; raise \(options.joined(separator: " and ")) to search further"
    }
}
