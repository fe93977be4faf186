import Accounts
import Navigation

/// What a request did to a session, and the session right after it.
public struct Change: Sendable {
    public let outcome: Outcome
    public internal(set) var session: SessionRecord
    /// Issued by a log-in or sign-up.
    public internal(set) var credential: Secret?
}
