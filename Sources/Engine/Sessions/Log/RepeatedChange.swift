import NavigationRules

/// A change of a session that was performed again, with the states before and after it and its
/// outcome.
public struct RepeatedChange: Sendable {
    public let before: SessionState
    public let after: SessionState
    public let outcome: Outcome
}

/// Performs recorded changes again, with the present app and rules.
struct ChangeRepetition {
    private let walk: LogWalk
    /// The state after the last change, which usually is the state before the next one.
    private var last: SessionState?

    init(_ walk: LogWalk) { self.walk = walk }

    /// Performs a change again.
    /// - Parameter state: the state before the change; nil if it cannot be rebuilt.
    /// - Returns: nil if the app lacks a scene or data of the state, if the change fails now, or if
    ///   its effect is another than the recorded one.
    mutating func perform(_ entry: LogEntry, on state: LogState?) -> RepeatedChange? {
        defer { if last?.window.revision != entry.revision { last = nil } }
        guard let state, let before = session(state),
            let (outcome, next) = try? before.applying(
                entry.action, in: walk.app, sessionTTL: walk.sessionTTL, now: { entry.time }),
            let after = next?.0, after.window.revision == entry.revision
        else { return nil }
        // A comparison of the effects does not depend on the depth of the stacks. Without an
        // effect, `LogWalk` compares the states.
        if let effect = entry.effect,
            effect != WindowEffect(from: before.window, to: after.window)
        {
            return nil
        }
        last = after
        return RepeatedChange(before: before, after: after, outcome: outcome)
    }

    private func session(_ state: LogState) -> SessionState? {
        // The last change has led to the recorded state, which is the state before the next change.
        if let last, last.window.revision == state.revision { return last }
        return SessionState(state, of: walk.present, in: walk.app)
    }
}
