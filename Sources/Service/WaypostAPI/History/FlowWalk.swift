import JSON
import NavigationRules
import Sessions
import WaypostCore

/// Collects the steps of a flow file, a scripted test, from the recorded changes of a session.
///
/// A flow runs in a new session, so its first state must be one that a new session can reach: the
/// start of the recorded session, or the root screen after a log-in or a log-out.
///
/// The property `from` is the revision of the first change whose step has an expectation, or nil.
/// If `from` is not nil, the flow begins at the latest of these states whose revision is at most
/// `from`. If `from` is nil, the flow begins at the earliest of these states after which all
/// changes can be repeated, and whose revision is higher than `bound`.
struct FlowWalk: Sendable {
    private let app: App
    private let from: Int?
    /// The revision after which the flow begins.
    private let bound: Int
    /// The maximum size of all steps together, in bytes.
    private let sizeLimit: Int
    private var start: FlowStart?
    private var steps: [String] = []
    /// The normalized usernames of the accounts that exist after the steps so far.
    private var usernames: Set<String> = []
    /// The usernames of the accounts that must exist before the first step.
    private var accounts: [String] = []
    /// The hashes of the credentials with which the session was logged in during the steps, and after
    /// the changes that no flow can have, each with the last revision of its log-in.
    private(set) var credentials: [SecretHash: Int] = [:]
    /// The revision of the last change in the flow that a new session cannot repeat; nil if a new
    /// session can repeat all changes in the flow.
    private(set) var lost: Int?
    /// The total size of the steps, in bytes. The steps beyond `sizeLimit` are counted, but not kept.
    private(set) var size = 0
    /// The revision after the last change.
    private(set) var revision = 0
    /// The last revision in the flow under a log-in that has ended, if the flow must not be shown;
    /// nil otherwise.
    var endedLogIn: Int?

    init(_ app: App, from: Int?, after bound: Int, sizeLimit: Int) {
        self.app = app
        self.from = from
        self.bound = bound
        self.sizeLimit = sizeLimit
    }

    var hasBegun: Bool { start != nil }

    /// Whether the flow file will be too large, and cannot begin at a later state.
    var isTooLarge: Bool { size > sizeLimit && revision >= from ?? 0 }

    /// Adds a change.
    /// - Parameters:
    ///   - change: the change, performed again; nil if a new session cannot repeat it.
    ///   - credential: the credential of the session after the change; nil if there was none, or if
    ///     it is unknown.
    mutating func add(_ entry: LogEntry, _ change: RepeatedChange?, _ credential: SecretHash?) {
        revision = entry.revision
        defer {
            if let credential = credential ?? change?.after.credential {
                credentials[credential] = revision
            }
        }
        guard let change else {
            // The flow may still begin at a later state.
            if isBefore(entry.revision) { (start, credentials, lost, size) = (nil, [:], nil, 0) }
            if start != nil { lost = entry.revision }
            return
        }
        if start == nil { begin(at: change.before) }
        guard let start else {
            // The next change may be one that no flow can have. Without `from`, it would reset the
            // start.
            if from != nil { begin(at: change.after) }
            return
        }
        append(step(entry, change, start))
        switch entry.action {
        case .logIn, .logOut, .fallBack:
            // Without `from`, the flow keeps its start, to have as many changes as possible.
            if from != nil, isBefore(entry.revision) { begin(at: change.after) }
        case .perform, .freshRoot: break
        }
    }

    /// Ends the collection after the last change. If no earlier state can be the start of the flow,
    /// the flow starts at `present`, the session's current state.
    mutating func end(at present: SessionState) {
        if start == nil, lost == nil { begin(at: present) }
    }

    /// Returns whether a flow may begin at a revision. A flow may begin at any revision if `from`
    /// is nil, and at a revision of at most `from` otherwise.
    private func isBefore(_ revision: Int) -> Bool { revision <= from ?? .max }

    private mutating func begin(at session: SessionState) {
        let revision = session.window.revision
        guard isBefore(revision), revision > bound, let start = FlowStart(session.window, app)
        else { return }
        self.start = start
        (steps, usernames, accounts, lost, size) = ([], [], [], nil, 0)
        credentials = session.credential.map { [$0: revision] } ?? [:]
        let expectation = "expect: \(expectation(session.window, nil))"
        let logIn = start.logIn.map {
            step($0.username, isSignUp: $0.submission == .signUp, start)
        }
        let open = start.open.flatMap { link in
            JSONValue.written { link.write(to: &$0) }.yamlMembers
        }
        let first = [logIn, open].compactMap(\.self)
        for step in first.dropLast() { append(step) }
        append(first.last.map { "\($0)\n    \(expectation)" } ?? expectation)
    }

    private mutating func append(_ step: String) {
        size += step.utf8.count
        if size <= sizeLimit { steps.append(step) }
    }

    // MARK: Steps

    private mutating func step(
        _ entry: LogEntry, _ change: RepeatedChange, _ start: FlowStart
    ) -> String {
        var step: String
        switch entry.action {
        case .logIn(let username, _, let isSignUp):
            step = self.step(username, isSignUp: isSignUp, start)
        case .logOut: step = "\(LogOut.name):"
        case .fallBack: step = "\(LogOut.name): # the credential was no longer valid"
        case .perform, .freshRoot:
            let operation = JSONValue.written { $0.operation(of: entry.action) }
            step = start.naming(operation, in: change.before.window).yamlMembers ?? ""
        }
        if entry.revision >= from ?? 0 {
            step += "\n    expect: \(expectation(change.after.window, change.outcome))"
        }
        return step
    }

    /// Returns the step that logs a user in or signs a user up.
    private mutating func step(_ username: String, isSignUp: Bool, _ start: FlowStart) -> String {
        let isNew = usernames.insert(Self.key(username)).inserted
        // A flow starts without accounts, so that the first log-in of a user becomes a sign-up. The
        // form of a strict session submits only what the user did; the account then exists before.
        // A second sign-up was that of an account made anew, which no flow can remove.
        if isNew, isSignUp || !start.isStrict { return "\(LogIn.signUpName): \(username.yamlText)" }
        if isNew { accounts.append(username) }
        return "\(LogIn.name): \(username.yamlText)"
    }

    /// Returns the normalized form of a username. All spellings of an account's username have the
    /// same normalized form.
    private static func key(_ username: String) -> String {
        (try? Username(username))?.key ?? username
    }

    /// The maximum number of elements in each list of an expectation, such as the titles on the
    /// stack. An expectation omits a longer list.
    private static let listLimit = 20

    private func expectation(_ window: Window, _ outcome: Outcome?) -> String {
        var members: [(String, JSONValue)] = []
        func add(_ name: String, _ value: JSONValue) { members.append((name, value)) }
        add("title", JSONValue(window.topViewController.effectiveTitle))
        add("back", JSONValue(window.isBare ? nil : window.backButton?.title))
        if window.viewControllers.count <= Self.listLimit {
            add("stack", Self.titles(window.viewControllers))
        }
        add("root", .string(window.root.rawValue))
        add("auth", JSONValue(window.auth.username))
        add("bottomBar", JSONValue(window.bottomBar.text))
        if let pending = window.pending, pending.link == nil {
            add(
                "pending",
                .written { pending.operation.write(animated: pending.animated, to: &$0) })
        }
        add("pendingLink", JSONValue(window.pendingLink))
        if !window.flags.isEmpty { add("flags", .written { $0.write(window.flags.values) }) }
        add("layers", .integer(window.layers.count))
        if let tabBar = window.tabBar { add("tab", .integer(tabBar.selectedIndex)) }
        if let segments = window.segments, window.isSingleStack {
            add("segment", .integer(segments.selectedIndex))
        }
        if let outcome {
            add("transition", .string(outcome.transition.rawValue))
            if outcome.popped.count <= Self.listLimit {
                add("popped", Self.titles(outcome.popped))
            }
            if outcome.events.count <= Self.listLimit {
                add(
                    "events",
                    .array(outcome.events.map { .string("\($0.kind.text) \($0.scene)") }))
            }
        }
        return JSONValue.object(JSONObject(pairs: members)).yaml
    }

    private static func titles(_ viewControllers: [ViewController]) -> JSONValue {
        .array(viewControllers.map { JSONValue($0.effectiveTitle) })
    }

    /// The text of the flow file.
    var text: String {
        let storyboard = app.storyboard.name
        var lines = ["name: \("A walk in \(storyboard)".yamlText)"]
        if let lifecycle = start?.lifecycle, lifecycle != app.storyboard.lifecycle {
            lines.append("lifecycle: \(lifecycle.rawValue)")
        }
        if let isStrict = start?.isStrict, isStrict || app.storyboard.isStrict {
            lines.append("strict: \(isStrict)")
        }
        if let flags = start?.flags, !flags.isEmpty {
            lines.append("flags: \(JSONValue.written { $0.write(flags) }.yaml)")
        }
        if !accounts.isEmpty {
            lines.append("accounts: [\(accounts.map(\.yamlText).joined(separator: ", "))]")
        }
        lines.append("steps:")
        lines += steps.map { "  - \($0)" }
        return lines.joined(separator: "\n") + "\n"
    }
}
