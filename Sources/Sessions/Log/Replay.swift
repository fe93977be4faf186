import Navigation

/// A change of a session that was performed again, with the states before and after it and its
/// outcome.
public struct ReplayedChange: Sendable {
    public let before: SessionSnapshot
    public let after: SessionSnapshot
    public let outcome: Outcome
}

/// Performs recorded changes again, with the present app and rules.
struct Replay {
    private let walk: LogWalk
    /// The state after the last change, which usually is the state before the next one.
    private var last: SessionSnapshot?

    init(_ walk: LogWalk) { self.walk = walk }

    /// Performs a change again.
    /// - Returns: nil if one of its states cannot be rebuilt, if the change fails now, or if it
    ///   leads to another state than the recorded one.
    mutating func replay(_ change: PastChange) -> ReplayedChange? {
        defer { if last?.window.revision != change.entry.revision { last = nil } }
        guard let before = change.before, let recorded = change.after,
            let session = session(before),
            let (outcome, next) = try? session.applying(
                change.entry.action, in: walk.app, sessionTTL: walk.sessionTTL,
                now: { change.entry.time }),
            let after = next?.0, isRecorded(change, recorded, session.window, after.window)
        else { return nil }
        last = after
        return ReplayedChange(before: session, after: after, outcome: outcome)
    }

    /// Returns whether a change has led to the recorded state. A comparison of the effects does not
    /// depend on the depth of the stacks.
    private func isRecorded(
        _ change: PastChange, _ recorded: LogState, _ before: Window, _ after: Window
    ) -> Bool {
        guard let effect = change.entry.effect else { return after.archive == recorded.window }
        return effect == WindowEffect(from: before, to: after)
    }

    private func session(_ state: LogState) -> SessionSnapshot? {
        // The last change has led to the recorded state, which is the state before the next change.
        if let last, last.window.revision == state.revision { return last }
        return SessionSnapshot(state, of: walk.present, in: walk.app)
    }
}
