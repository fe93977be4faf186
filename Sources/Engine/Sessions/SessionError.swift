import NavigationRules
import WaypostCore

/// The reason why a request to a session, an account or a store failed. Nothing was changed then,
/// unless a `StorageError` says that the outcome is unknown.
///
/// Sessions, accounts and all stores throw this one type, so that no layer converts the errors of
/// another. The rules know nothing of sessions and keep an error of their own, `NavigationError`.
/// The type is indirect, so that the result of a request is small.
public indirect enum SessionError: Error, Sendable, Equatable {
    /// The rules refuse the operation.
    case navigation(NavigationError)

    // Sessions

    /// The session was ended or has expired, or the store does not have it.
    case ended
    /// The session has another entity tag than those in `If-Match`.
    /// - Parameters:
    ///   - present: the session's revision.
    ///   - tag: the session's entity tag.
    case revisionMismatch(present: Int, tag: String = "")
    /// The session's history no longer holds the requested revision, or cannot rebuild it.
    /// - Parameter oldest: the oldest revision in the history. Nil if the history holds the
    ///   requested revision but cannot rebuild it, usually because the app definition or the
    ///   version of Waypost has changed.
    case revisionGone(oldest: Int?)
    /// The requested revision is higher than the session's present one.
    case revisionNotFound(present: Int)
    /// The session was logged in at the requested revision with a credential that is no longer
    /// valid.
    case credentialRefused(CredentialRefusal)
    /// The session already has `SessionToken.limit` tokens for other devices.
    case tooManyTokens
    /// The session has no token for another device (`SessionToken`) with this id.
    case tokenNotFound
    /// The `Idempotency-Key` was used before, with a different request.
    case idempotencyKeyReused
    /// Too many changes of the session are waiting, or other processes keep changing the session.
    case sessionBusy
    /// Too many requests read histories, or nobody waits for this one any longer.
    case historyBusy

    // Accounts

    case invalidUsername(String)
    case invalidPassword(String)
    /// Both parts of a new account are refused, for the reasons in the values.
    case invalidUsernameAndPassword(username: String, password: String)
    /// The password is too easy to guess. The value is the reason.
    case weakPassword(String)
    case usernameTaken
    /// A log-in failed. The error does not reveal whether the username is unknown, the password is
    /// wrong, or the account is disabled.
    case wrongCredentials
    /// The request contains a valid credential but a wrong password.
    case wrongPassword
    case throttled(RateLimitExceeded)
    /// Sign-up is closed. Only the operator of the service can create accounts.
    case signUpClosed
    case accountNotFound
    /// The account was changed or removed after the request had read it, or a credential that the
    /// request uses is no longer valid.
    case accountChanged
    case credentialNotFound
    /// The password cannot be hashed at present: the queue of waiting passwords is full, or there
    /// is not enough memory.
    case passwordsBusy

    // Stores

    /// A session's stored row has another version than the batch expects. Or the batch adds a token
    /// to a session that has another credential than the batch expects.
    case conflict
    /// The store holds an unexpired idempotency record with the same id. Only a shared store rejects
    /// a batch for this reason. Within one process, locks keep two requests with the same
    /// idempotency key from running at the same time, but other processes do not see these locks.
    case recordExists
    case storage(StorageError)

    /// The same error for a request whose own change was not sent to the store, see
    /// `StorageError.ofUnsentChange`.
    var ofUnsentChange: SessionError {
        if case .storage(let error) = self { .storage(error.ofUnsentChange) } else { self }
    }
}
