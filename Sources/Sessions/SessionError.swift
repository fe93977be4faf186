import Accounts
import Navigation
import WaypostCore

/// The reason why a request to a session failed. The session is then unchanged, unless a `StorageError`
/// says that the outcome is unknown.
public enum SessionError: Error, Sendable, Equatable {
    case navigation(NavigationError)
    case account(AccountError)
    case storage(StorageError)
    /// The session has another revision than the one in `If-Match`.
    case revisionMismatch(present: Int)
    /// The `Idempotency-Key` was used before, with a different request.
    case idempotencyKeyReused
    /// The session was ended or has expired.
    case ended
    /// Too many changes of the session are waiting, or other writers keep changing its row.
    case sessionBusy
    /// The session already has `SessionToken.limit` tokens for other devices.
    case tooManyTokens
    /// The session has no token for another device (`SessionToken`) with this id.
    case tokenNotFound
    /// The session has the maximum number of idempotency records, or their responses the maximum size.
    /// - Parameter until: the time when the first record expires; nil if the session has none.
    case tooManyIdempotencyKeys(until: Timestamp?)
    /// The history no longer has a revision, or cannot rebuild it.
    /// - Parameter oldest: the oldest revision that the history has; nil if the history has the
    ///   wanted revision but cannot rebuild it, usually because the app or the program has changed
    ///   since.
    case revisionGone(oldest: Int?)
    /// The session has not reached the revision.
    case revisionNotFound(present: Int)
    /// The credential that the session had at a revision is no longer valid.
    case credentialRefused(CredentialRefusal)
    /// Another process has stored a response for the request's `Idempotency-Key` in the meantime.
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
}
