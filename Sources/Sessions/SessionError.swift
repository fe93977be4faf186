import Accounts
import Navigation
import WaypostCore

/// Why a session did not do what it was asked to. It is as it was before.
public enum SessionError: Error, Sendable, Equatable {
    case navigation(NavigationError)
    case account(AccountError)
    case storage(StorageError)
    /// `If-Match` asked for another revision.
    case revisionMismatch(present: Int)
    /// The `Idempotency-Key` came with another request before.
    case idempotencyKeyReused
    /// The session was ended, or has expired.
    case ended
    /// Too many changes of the session wait for their turn, or others change it all the time.
    case sessionBusy
    /// The session has as many idempotency records as it may, or their responses as many bytes.
    /// - Parameter until: when the first of them expires; nil if there are none.
    case tooManyIdempotencyKeys(until: Timestamp?)

    init(_ error: CommitError) {
        switch error {
        case .usernameTaken: self = .account(.usernameTaken)
        case .accountChanged: self = .account(.accountChanged)
        case .sessionNotFound: self = .ended
        case .conflict: self = .sessionBusy
        case .storage(let error): self = .storage(error)
        }
    }
}
