import NavigationRules
import WaypostCore

/// One change of a session in the session's log: the request, its effect and its events.
public struct LogEntry: Sendable, Equatable {
    public enum Action: Sendable, Equatable {
        /// - Parameter animated: the value of the member `animated`; nil if the request had none. An
        ///   entry that was read has the default value instead.
        case perform(Operation, animated: Bool?)
        /// A log-in or a sign-up, without its password.
        /// - Parameter credential: the hash of the credential that the log-in issued.
        case logIn(username: String, credential: SecretHash, isSignUp: Bool)
        case logOut
        /// The session was logged out because its credential was no longer valid.
        case fallBack(CredentialRefusal)
        /// The window started again at its root view controller, because the app lacked a scene or
        /// data that the session needed; or it got tabs or segments that the app has gained. Nothing
        /// but the events tells the two apart, see `Window.restore`.
        case freshRoot
    }

    /// The session's revision after the change.
    public let revision: Int
    public let time: Timestamp
    /// The `X-Request-ID` that the client sent; nil if it sent none.
    public let requestID: String?
    public let action: Action
    /// The difference that the change has made to the window. Nil for a fresh root, which a complete
    /// state follows, and for changes that an earlier version of Waypost recorded without their
    /// effects.
    public let effect: WindowEffect?
    /// Nil for changes that an earlier version of Waypost recorded.
    public let transition: Transition?
    /// The lifecycle events of the change. Those of a change that an earlier version of Waypost
    /// recorded are in a record of their own, see `LogRecord.events`.
    public let events: [LifecycleEvent]

    package init(
        revision: Int, time: Timestamp, requestID: String? = nil, action: Action,
        effect: WindowEffect? = nil, transition: Transition? = nil, events: [LifecycleEvent] = []
    ) {
        self.revision = revision
        self.time = time
        self.requestID = requestID
        self.action = action
        self.effect = effect
        self.transition = transition
        self.events = events
    }
}

/// A complete state of a session in its log, to which the effects of the later entries are applied.
package struct LogState: Sendable, Equatable {
    package private(set) var window: StoredWindow
    package private(set) var expiresAt: Timestamp
    package private(set) var credential: SecretHash?
    package private(set) var credentialRefusal: CredentialRefusal?

    package init(
        window: StoredWindow, expiresAt: Timestamp, credential: SecretHash?,
        credentialRefusal: CredentialRefusal?
    ) {
        self.window = window
        self.expiresAt = expiresAt
        self.credential = credential
        self.credentialRefusal = credentialRefusal
    }

    init(_ session: SessionState) {
        self.init(
            window: session.window.stored, expiresAt: session.expiresAt,
            credential: session.credential, credentialRefusal: session.credentialRefusal)
    }

    package var revision: Int { window.revision }

    /// Returns the state after a change, with the same expiry; nil if the entry does not fit.
    package func applying(_ entry: LogEntry) -> LogState? {
        var state = self
        return state.apply(entry, sessionTTL: .zero) ? state : nil
    }

    /// Applies the effect of an entry.
    /// - Parameter sessionTTL: the lifetime of a session after its last change.
    /// - Returns: false if the entry has no effect, or does not belong to the change after this
    ///   state. The state then has no meaning any longer.
    mutating func apply(_ entry: LogEntry, sessionTTL: Duration) -> Bool {
        guard let effect = entry.effect, entry.revision == revision + 1,
            window.apply(effect, revision: entry.revision)
        else { return false }
        // The clock may have been set back; a change never shortens a session's life.
        expiresAt = max(expiresAt, entry.time + sessionTTL)
        switch entry.action {
        case .perform, .freshRoot: break
        case .logIn(_, let hash, _): (credential, credentialRefusal) = (hash, nil)
        case .logOut: (credential, credentialRefusal) = (nil, nil)
        case .fallBack(let refusal): (credential, credentialRefusal) = (nil, refusal)
        }
        return true
    }
}

/// An item of a session's log.
package enum LogRecord: Sendable, Equatable {
    case state(LogState)
    case entry(LogEntry)
    /// Events that belong to no entry: those of the session's first display, and those that an
    /// earlier version of Waypost recorded apart from the changes.
    case events([LifecycleEvent])
}
