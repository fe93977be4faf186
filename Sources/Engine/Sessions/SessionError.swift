import NavigationRules
import WaypostCore

/// The reason why a request to a session failed. The session is then unchanged, unless a
/// `StorageError` says that the outcome is unknown.
public enum SessionError: Error, Sendable, Equatable {
    case navigation(NavigationError)
    case account(AccountError)
    case storage(StorageError)
    /// The session has another revision or name than the ones in `If-Match`.
    case revisionMismatch(present: Int, name: String? = nil)
    /// The `Idempotency-Key` was used before, with a different request.
    case idempotencyKeyReused
    /// The session was ended or has expired.
    case ended
    /// Too many changes of the session are waiting, or other processes keep changing the session.
    case sessionBusy
    /// The session already has `SessionToken.limit` tokens for other devices.
    case tooManyTokens
    /// The session has no token for another device (`SessionToken`) with this id.
    case tokenNotFound
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
    /// Too many requests replay changes of sessions, or nobody waits for this one any longer.
    case replaysBusy
    /// Another process has just stored a response for the request's `Idempotency-Key`.
    case alreadyAnswered

    init(_ error: CommitError) {
        switch error {
        case .usernameTaken: self = .account(.usernameTaken)
        case .accountChanged: self = .account(.accountChanged)
        case .tooManyTokens: self = .tooManyTokens
        case .sessionNotFound: self = .ended
        case .conflict: self = .sessionBusy
        case .alreadyAnswered: self = .alreadyAnswered
        case .storage(let error): self = .storage(error)
        }
    }

    /// The same error for a request whose own change was not sent to the store, see
    /// `StorageError.ofUnsentChange`.
    var ofUnsentChange: SessionError {
        if case .storage(let error) = self { .storage(error.ofUnsentChange) } else { self }
    }
}
