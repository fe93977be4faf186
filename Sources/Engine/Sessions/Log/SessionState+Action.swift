import NavigationRules
import WaypostCore

extension SessionState {
    /// Returns the session after a change. Both a live session and the repetition of its log call this
    /// method.
    /// - Parameters:
    ///   - now: returns the time of the change. The method calls it once if the operation changes
    ///     the session.
    ///   - sessionTTL: the lifetime of a session after its last change.
    /// - Returns: the outcome of the operation. `next` holds the changed session and the time of
    ///   the change; it is nil if the operation changed nothing.
    /// - Throws: the reason why the operation is refused.
    func applying(
        _ action: LogEntry.Action, in app: App, sessionTTL: Duration, now: () -> Timestamp
    ) throws(NavigationError) -> (outcome: Outcome, next: (SessionState, time: Timestamp)?) {
        let before: SessionState
        let operation: Operation
        var animated: Bool?
        switch action {
        case .perform(let asked, let said): (before, operation, animated) = (self, asked, said)
        case .logIn(let username, let credential, let isSignUp):
            (before, operation) = (
                with(credential), Operation(LogIn(username: username, isSignUp: isSignUp))
            )
        case .logOut: (before, operation) = (with(nil), Operation(LogOut()))
        case .fallBack(let refusal): (before, operation) = (with(nil, refusal), Operation(LogOut()))
        // Only `SessionDependencies.load` makes this change, when it restores a stored session. A
        // complete state follows it in the log.
        case .freshRoot: return (.unchanged, nil)
        }
        let (window, outcome) = try before.window.performing(
            operation, animated: animated, in: app)
        guard outcome.changed else { return (outcome, nil) }
        let time = now()
        // The clock may have been set back; a change never shortens a session's life.
        let expiresAt = max(before.expiresAt, time + sessionTTL)
        return (outcome, (before.with(window, expiresAt: expiresAt), time))
    }
}
