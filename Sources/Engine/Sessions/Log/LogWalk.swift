import NavigationRules
import WaypostCore

/// An earlier change of a session.
struct PastChange<Reading: Sendable>: Sendable {
    /// The parts of the states before and after a change that a list of changes needs.
    struct States: Sendable {
        /// The hashes of the session's credentials before and after the change, nil while logged out.
        let credentials: [SecretHash?]
        /// The top view controller after the change.
        let top: StoredWindow.Entry?
        /// The authentication state after the change.
        let auth: Auth

        init(_ credentials: [SecretHash?], after state: LogState) {
            self.credentials = credentials
            top = state.window.topViewController
            auth = state.window.auth
        }
    }

    /// The change, without its events.
    let entry: LogEntry
    /// The change's transition; nil if it was not recorded, and the states cannot be rebuilt.
    let transition: Transition?
    /// Nil if the states cannot be rebuilt.
    let states: States?
    /// The reading of the state before the change, see `LogWalk.run`.
    let reading: Reading?

    /// The change without states that turned out to be others than the recorded ones.
    var withoutStates: PastChange {
        PastChange(entry: entry, transition: entry.transition, states: nil, reading: nil)
    }

    /// The change with the state after it, which does not follow from the state before it.
    func leading(to state: LogState) -> PastChange {
        PastChange(
            entry: entry, transition: transition,
            states: States([state.credential, state.credential], after: state), reading: reading)
    }
}

/// Rebuilds earlier states of a session from its log. The effects of the entries are applied to the
/// complete state before them, whatever the storyboard and the rules are now.
///
/// Earlier versions of Waypost recorded changes without their effects. Such a change is performed
/// again, with the present storyboard and rules. It may lead to another state now. The rebuilt states
/// are therefore compared with the next complete state in the log, and dropped if that is another.
struct LogWalk: Sendable {
    let app: App
    let sessionTTL: Duration
    /// The present state of the session that the log belongs to.
    let present: SessionState

    /// Returns changes.
    /// - Parameters:
    ///   - rows: the consecutive rows of the log, in order.
    ///   - revisions: the revisions of the wanted changes.
    ///   - isAll: whether the rows reach the next complete state or the end of the log.
    ///   - read: reads the state before each wanted change, nil if it cannot be rebuilt. The state
    ///     then changes in place, since a copy of a deep stack would take long.
    /// - Returns: the wanted changes, in order; nil if the rows end before a complete state with
    ///   which rebuilt states must be compared, or which follows a new start at the root.
    /// - Throws: `DamagedLog` if a row is damaged.
    func run<Reading: Sendable>(
        _ rows: [[UInt8]], revisions: ClosedRange<Int>, isAll: Bool,
        _ read: (LogEntry, LogState?) -> Reading?
    ) throws(DamagedLog) -> [PastChange<Reading>]? {
        var changes: [PastChange<Reading>] = []
        var state: LogState?
        /// The index in `changes` of the first change whose states must be compared with the next
        /// complete state.
        var unverified: Int?
        let end = present.window.revision
        scan: for row in rows {
            for line in LogLine.lines(of: row) {
                // A complete state is the one that the changes before it have led to.
                if unverified == nil, let state, line.revisionOfState == state.revision { continue }
                guard let record = line.record(withEvents: false) else { throw DamagedLog() }
                switch record {
                // The session may have changed since `present` was read.
                case .state(let complete) where complete.revision > end: break scan
                case .entry(let entry) where entry.revision > end: break scan
                case .events: break
                case .state(let complete):
                    if let first = unverified, state?.window.isSame(as: complete.window) != true {
                        for index in changes.indices[first...] {
                            changes[index] = changes[index].withoutStates
                        }
                    }
                    unverified = nil
                    state = complete
                    if let last = changes.last, last.entry.action == .freshRoot,
                        last.entry.revision == complete.revision
                    {
                        changes[changes.count - 1] = last.leading(to: complete)
                    }
                case .entry(let entry):
                    let isWanted = entry.revision <= revisions.upperBound
                    guard isWanted || unverified != nil else { return changes }
                    let isRead = isWanted && entry.revision >= revisions.lowerBound
                    let reading = isRead ? read(entry, state) : nil
                    let credential = state?.credential
                    var transition = entry.transition
                    if entry.action == .freshRoot {
                        // The complete state after it follows in the log.
                        state = nil
                    } else if entry.effect == nil {
                        if unverified == nil { unverified = changes.count }
                        let repeated = state.flatMap { repeating(entry, on: $0) }
                        state = repeated?.state
                        transition = repeated?.transition
                    } else if state?.apply(entry, sessionTTL: sessionTTL) != true {
                        state = nil
                    }
                    guard isRead else { continue }
                    let states = state.map {
                        PastChange<Reading>.States([credential, $0.credential], after: $0)
                    }
                    changes.append(
                        PastChange(
                            entry: entry, transition: transition, states: states, reading: reading)
                    )
                }
            }
        }
        let mustVerify = unverified.map { $0 < changes.count } ?? false
        let lacksState = changes.last?.entry.action == .freshRoot && changes.last?.states == nil
        return (mustVerify || lacksState) && !isAll ? nil : changes
    }

    /// Performs a change that was recorded without its effect.
    /// - Returns: nil if the change fails now, or leads to another revision than the recorded one.
    private func repeating(
        _ entry: LogEntry, on state: LogState
    ) -> (state: LogState, transition: Transition)? {
        guard let session = SessionState(state, of: present, in: app),
            entry.revision == state.revision + 1,
            let change = try? session.applying(
                entry.action, in: app, sessionTTL: sessionTTL, now: { entry.time }),
            let (after, _) = change.next, after.window.revision == entry.revision
        else { return nil }
        return (LogState(after), change.outcome.transition)
    }
}

extension SessionState {
    /// Restores an earlier state of a session.
    /// - Parameter session: the session, in its present state.
    /// - Returns: nil if the app lacks a scene or data of this state, or has more tabs or segments.
    convenience init?(_ state: LogState, of session: SessionState, in app: App) {
        let (window, events) = Window.restore(state.window, in: app)
        // `restore` returns events only if the window starts again at its root, or gets new tabs or
        // segments. The ids of new tabs could be those of later view controllers of the session.
        guard events == nil else { return nil }
        self.init(
            id: session.id, name: session.name, tokenHash: session.tokenHash,
            createdAt: session.createdAt, expiresAt: state.expiresAt, window: window,
            credential: state.credential, credentialRefusal: state.credentialRefusal)
    }
}
