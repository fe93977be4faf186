import NavigationRules
import WaypostCore

/// A request to change a session.
public struct ChangeRequest: Sendable {
    /// The kind of a change, with its arguments.
    public enum Action: Sendable {
        /// - Parameter animated: the value of the member `animated`; nil if the request has none.
        case perform(Operation, animated: Bool?)
        /// Logs out, and revokes the credential that the session is logged in with.
        case logOut
        /// Ends the session.
        /// - Parameter account: the account to which the session must be logged in; nil if any
        ///   session may be ended.
        case end(ofAccount: Username? = nil)
        /// Logs in with a password that has been verified. The case is indirect to keep the enum
        /// small: the value is large, and the case is rare.
        indirect case logIn(VerifiedLogIn)
        /// Logs out, because the session's credential is no longer valid. The window then shows the
        /// login root: the root view controller for a user who is not logged in.
        case fallBack(CredentialRefusal)
        /// Sets the session's name, or removes it if the value is `.some(nil)`. Nil leaves the name
        /// as it is. The session's revision stays the same.
        case rename(String??)
        /// Changes nothing; the result is the current state.
        case read

        var isFallBack: Bool { if case .fallBack = self { true } else { false } }

        /// Whether the change is committed alone, without other changes. Most such changes write
        /// an account, a credential or the session's end. The store may reject this write and with
        /// it the whole commit. Other changes in the same commit would then fail too.
        var isAlone: Bool {
            switch self {
            case .perform, .rename, .read: false
            case .logOut, .end, .logIn, .fallBack: true
            }
        }
    }

    let action: Action
    let precondition: Precondition?
    let idempotency: IdempotentRequest<ChangeResult>?
    let requestID: String?

    /// Whether the session must know the sizes of its idempotency records before it makes the
    /// change. These records are the stored responses to requests with an `Idempotency-Key`,
    /// and the session checks the limits for them. An `.end` needs no check: its record outlives
    /// the session and does not count towards the limits.
    var needsRecordSizes: Bool {
        if case .end = action { false } else { idempotency != nil }
    }

    /// - Parameters:
    ///   - precondition: the condition of `If-Match`; nil if there is none.
    ///   - idempotency: the request's `Idempotency-Key`; nil if the request has none.
    ///   - requestID: the `X-Request-ID` that the client sent, for the history; nil if the client
    ///     sent none.
    public init(
        _ action: Action, if precondition: Precondition? = nil,
        idempotency: IdempotentRequest<ChangeResult>? = nil, requestID: String? = nil
    ) {
        self.requestID = requestID
        self.action = action
        self.precondition = precondition
        self.idempotency = idempotency
    }
}

/// A check before a change (`If-Match`). Returns nil if the present state of the session allows the
/// change, and otherwise the entity tag of this state.
public typealias Precondition = @Sendable (_ present: SessionState) -> String?

extension Optional where Wrapped == Precondition {
    /// - Throws: `.revisionMismatch` if the present state of the session does not allow the change.
    func check(_ present: SessionState) throws(SessionError) {
        guard let tag = self?(present) else { return }
        throw .revisionMismatch(present: present.window.revision, tag: tag)
    }
}

/// The result of a change, with the session's state right after the change. The type is a class so
/// that closures pass a reference instead of a copy.
public final class ChangeResult: Sendable {
    public let outcome: Outcome
    public let session: SessionState
    /// The credential that a log-in or sign-up issued; nil for other changes.
    public let credential: Secret?

    init(_ outcome: Outcome, _ session: SessionState, credential: Secret? = nil) {
        self.outcome = outcome
        self.session = session
        self.credential = credential
    }
}

/// A log-in with a verified password, or a sign-up, and the values to store for it.
public struct VerifiedLogIn: Sendable {
    let account: WriteBatch.AccountChange
    let username: Username
    let secret: Secret
    let credential: Credential
    /// The hashes of the account's least recently used credentials. They are revoked so that the
    /// new credential does not exceed the limit of credentials per account.
    let surplus: [SecretHash]
    /// The newest position in the `RevocationLog` before the account was read from the store. The
    /// session later checks whether the new credential was revoked after this position.
    let position: RevocationLog.Position

    var isSignUp: Bool { if case .insert = account { true } else { false } }
}
