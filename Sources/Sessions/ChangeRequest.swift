import Accounts
import Navigation
import WaypostCore

/// A request to change a session.
public struct ChangeRequest: Sendable {
    /// The kind of a change.
    public enum Action: Sendable {
        case perform(Operation, animated: Bool)
        /// Revokes the credential that the session is logged in with.
        case logOut
        /// Ends the session.
        case end
        /// Logs in with a password that has been verified.
        case logIn(VerifiedLogIn)
        /// Shows the login root because the session's credential is no longer valid.
        case fallBack(CredentialRefusal)
        /// Sets the session's name, or removes it if nil. The session's revision stays the same.
        case rename(String?)
        /// Changes nothing; the result is the current state.
        case read

        /// Whether the change needs a commit of its own. The store may reject what such a change
        /// writes: accounts, the session's name, or the end of the session. Other changes in the
        /// same commit would then fail as well.
        var isAlone: Bool {
            switch self {
            case .perform, .read: false
            case .logOut, .end, .logIn, .fallBack, .rename: true
            }
        }
    }

    let action: Action
    let precondition: Precondition?
    let idempotency: IdempotentRequest<ChangeResult>?
    let requestID: String?

    /// Whether the session must first learn if its limits allow one more idempotency record. The
    /// record of an `.end` outlives the session and does not count towards the limits.
    var needsIdempotencyUsage: Bool {
        if case .end = action { false } else { idempotency != nil }
    }

    /// - Parameters:
    ///   - precondition: returns whether the change may be made to a revision (`If-Match`).
    ///   - idempotency: the request's `Idempotency-Key`; nil if it has none.
    ///   - requestID: the `X-Request-ID` that the client sent, for the history; nil if it sent none.
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

/// Returns whether a change may be made to a session with this revision.
public typealias Precondition = @Sendable (_ revision: Int) -> Bool

/// The result of a change, with the session's state right after it. The type is a class because the
/// result is passed through several closures.
public final class ChangeResult: Sendable {
    public let outcome: Outcome
    public let session: SessionSnapshot
    /// The credential that a log-in or sign-up issued; nil for other changes.
    public let credential: Secret?

    init(_ outcome: Outcome, _ session: SessionSnapshot, credential: Secret? = nil) {
        self.outcome = outcome
        self.session = session
        self.credential = credential
    }
}

/// A log-in whose password has been verified, or a sign-up, with everything that is stored for it.
/// The type is a class to keep `ChangeRequest.Action` small: its content is large, and log-ins are
/// rare among changes.
public final class VerifiedLogIn: Sendable {
    let account: WriteBatch.AccountChange
    let username: Username
    let secret: Secret
    let credential: Credential
    /// The account's oldest credentials, which are revoked to make room for the new one.
    let surplus: [SecretHash]
    /// The position of the `RevocationLog`, read before the account was read.
    let position: RevocationLog.Position

    var isSignUp: Bool { if case .insert = account { true } else { false } }

    init(
        account: WriteBatch.AccountChange, username: Username, secret: Secret,
        credential: Credential, surplus: [SecretHash], position: RevocationLog.Position
    ) {
        self.account = account
        self.username = username
        self.secret = secret
        self.credential = credential
        self.surplus = surplus
        self.position = position
    }
}
