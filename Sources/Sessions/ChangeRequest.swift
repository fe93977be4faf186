import Accounts
import Navigation
import WaypostCore

/// A request to change a session.
public struct ChangeRequest: Sendable {
    public enum Action: Sendable {
        case perform(Operation, animated: Bool)
        /// Revokes the credential that the session is logged in with.
        case logOut
        /// Ends the session.
        case end
        /// Logs in with a password that has been verified.
        case logIn(VerifiedLogIn)
        /// Shows the login root, as the session's credential is no good any more.
        case fallBack(CredentialRefusal)
        /// Changes nothing.
        case read

        /// Whether the change is written in a commit of its own. The store may refuse what such a change
        /// writes besides the session, and no other change must fail with it.
        var isAlone: Bool {
            switch self {
            case .perform, .read: false
            case .logOut, .end, .logIn, .fallBack: true
            }
        }
    }

    let action: Action
    let precondition: Precondition?
    let idempotency: IdempotentRequest<ChangeResult>?

    /// - Parameters:
    ///   - precondition: whether the change may be made to a revision (`If-Match`).
    ///   - idempotency: the request's `Idempotency-Key`, if it has one.
    public init(
        _ action: Action, if precondition: Precondition? = nil,
        idempotency: IdempotentRequest<ChangeResult>? = nil
    ) {
        self.action = action
        self.precondition = precondition
        self.idempotency = idempotency
    }
}

/// Whether a change may be made to a session of this revision.
public typealias Precondition = @Sendable (_ revision: Int) -> Bool

/// The result of a change, and the session right after it.
public struct ChangeResult: Sendable {
    public let outcome: Outcome
    public let session: SessionSnapshot
    /// Issued by a log-in or sign-up.
    public let credential: Secret?

    init(_ outcome: Outcome, _ session: SessionSnapshot, credential: Secret? = nil) {
        self.outcome = outcome
        self.session = session
        self.credential = credential
    }
}

/// A log-in whose password is right, with all that the store is to write for it. A class, as it is
/// large and rare among changes.
public final class VerifiedLogIn: Sendable {
    let account: WriteBatch.AccountChange
    let username: Username
    let secret: Secret
    let credential: Credential
    /// The account's credentials that go, so that it may have one more.
    let surplus: [SecretHash]
    /// The revocation log's from before the account was looked up.
    let position: RevocationLog.Position

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
