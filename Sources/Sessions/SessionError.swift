import Accounts
import Navigation

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
    /// Too many changes of the session wait for their turn.
    case sessionBusy

    init(_ error: CommitError) {
        switch error {
        case .usernameTaken: self = .account(.usernameTaken)
        case .accountChanged: self = .account(.accountChanged)
        case .storage(let error): self = .storage(error)
        }
    }
}
