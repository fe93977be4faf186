import Accounts
import Synchronization
import WaypostCore

/// A log of the credentials that this process has recently revoked. Sessions in memory read the
/// log, so that they need not ask the store at each request. A shared store makes the revocations
/// of other processes known: it changes the versions of the rows of the affected sessions.
final class RevocationLog: Sendable {
    /// A position in the log: the number of calls of `note(_:)` and `noteMany()` before it. A
    /// session at the log's own position has seen all revocations.
    typealias Position = Int

    /// The position of a session that has to ask the store.
    static let unknown: Position = -1

    private static let capacity = 128
    private let count = Atomic<Position>(0)
    /// The latest revocations, oldest first. A change of the array changes `count` under the same
    /// lock.
    private let latest = Mutex<[SecretHash]>([])
    private let observer = Mutex<(@Sendable (SecretHash?) -> Void)?>(nil)

    var position: Position { count.load(ordering: .acquiring) }

    func note(_ hash: SecretHash) {
        latest.withLock { latest in
            latest.append(hash)
            if latest.count > Self.capacity { latest.removeFirst() }
            count.add(1, ordering: .releasing)
        }
        observer.withLock(\.self)?(hash)
    }

    /// Tells the observer that a `SessionToken` has been revoked. The log does not record the
    /// token, because no session is logged in with it.
    func noteToken(_ hash: SecretHash) { observer.withLock(\.self)?(hash) }

    /// Records the revocation of many credentials: all sessions have to ask the store.
    func noteMany() {
        latest.withLock { latest in
            latest = []
            count.add(1, ordering: .releasing)
        }
        observer.withLock(\.self)?(nil)
    }

    /// Sets the closure that is called after each revocation, on the thread that revokes.
    /// - Parameter observe: called with the hash of the credential or token, or with nil if any
    ///   credential may have been revoked.
    func observe(_ observe: @escaping @Sendable (SecretHash?) -> Void) {
        observer.withLock { $0 = observe }
    }

    /// Returns whether the credential was revoked after a position.
    /// - Returns: nil if the log does not reach back to the position.
    func hasRevoked(_ hash: SecretHash, since position: Position) -> Bool? {
        latest.withLock { latest in
            let missed = count.load(ordering: .relaxed) - position
            guard position >= 0, missed <= latest.count else { return nil }
            return latest.suffix(missed).contains(hash)
        }
    }
}

/// The state of a session's credential, as far as the session knows it.
struct CredentialStatus: Sendable {
    /// The position in the `RevocationLog` up to which the credential is known not to be revoked.
    var position: RevocationLog.Position
    var expiresAt: Timestamp

    /// The status of a credential that has not been checked; it makes a session ask the store.
    static let unknown = CredentialStatus(
        position: RevocationLog.unknown, expiresAt: Timestamp(milliseconds: 0))

    /// - Parameter position: the revocation log's position, read before the credential was read.
    init(_ credential: Credential, at position: RevocationLog.Position) {
        self.init(position: position, expiresAt: credential.expiresAt)
    }

    private init(position: RevocationLog.Position, expiresAt: Timestamp) {
        self.position = position
        self.expiresAt = expiresAt
    }
}
