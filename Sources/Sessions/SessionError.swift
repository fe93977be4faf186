import Accounts
import Navigation

/// Why a session did not do what it was asked to. It is as it was before.
public enum SessionError: Error, Sendable, Equatable {
    case navigation(NavigationError)
    case account(AccountError)
    case storage(StorageError)
    /// `If-Match` asked for another revision.
    case revisionMismatch(present: Int)
    /// The session was ended while the request waited for its turn.
    case ended
}
