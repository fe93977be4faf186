import Accounts
import Synchronization
import WaypostCore

/// A log of the credentials that this process has recently revoked. A session in memory checks its
/// credential against the log, and need not read the credential from the store at each request.
///
/// The log does not contain the revocations of other processes. In a shared store, such a
/// revocation changes the row version of each session that uses the credential. The session then
/// reads its row and its credential again.
final class RevocationLog: Sendable {
    /// A position in the log: the number of calls of `note(_:)` and `noteMany()` so far. A session
    /// at the log's present position has taken all revocations into account.
    typealias Position = Int

    /// The position of a session that has not checked its credential yet. The session has to read
    /// the credential from the store.
    static let unknown: Position = -1

    private static let capacity = 128
    private let count = Atomic<Position>(0)
    /// The hashes of the latest revoked credentials, the oldest first. The lock of this array also
    /// protects every change of `count`, which is the log's present position.
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

    /// Records that many credentials were revoked, without naming them. All sessions then have to
    /// read their credential from the store again.
    func noteMany() {
        latest.withLock { latest in
            latest = []
            count.add(1, ordering: .releasing)
        }
        observer.withLock(\.self)?(nil)
    }

    /// Sets the closure that is called after each revocation, on the thread that made the
    /// revocation.
    /// - Parameter observe: called with the hash of the revoked credential or token, or with nil if
    ///   any credential may have been revoked.
    func observe(_ observe: @escaping @Sendable (SecretHash?) -> Void) {
        observer.withLock { $0 = observe }
    }

    /// Returns whether the credential was revoked after a position.
    /// - Returns: nil if the log no longer holds all revocations after the position.
    func hasRevoked(_ hash: SecretHash, since position: Position) -> Bool? {
        latest.withLock { latest in
            let missed = count.load(ordering: .relaxed) - position
            guard position >= 0, missed <= latest.count else { return nil }
            return latest.suffix(missed).contains(hash)
        }
    }
}

/// The validity of a session's credential, as far as the session knows it.
struct CredentialStatus: Sendable {
    /// The latest position in the `RevocationLog` at which the credential was known to be valid.
    var position: RevocationLog.Position
    var expiresAt: Timestamp

    /// The status of a credential that has not been checked. A session with this status reads the
    /// credential from the store.
    static let unknown = CredentialStatus(
        position: RevocationLog.unknown, expiresAt: Timestamp(milliseconds: 0))

    /// - Parameter position: the newest position in the `RevocationLog` before the credential was
    ///   read from the store.
    init(_ credential: Credential, at position: RevocationLog.Position) {
        self.init(position: position, expiresAt: credential.expiresAt)
    }

    private init(position: RevocationLog.Position, expiresAt: Timestamp) {
        self.position = position
        self.expiresAt = expiresAt
    }
}
