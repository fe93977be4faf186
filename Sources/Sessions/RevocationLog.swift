import Accounts
import Synchronization
import WaypostCore

/// Tells the sessions in memory which credentials have been revoked since they last looked, so that
/// they need not ask the store at each request.
final class RevocationLog: Sendable {
    /// How many revocations there have been. A session that has seen as many is up to date.
    typealias Position = Int

    /// Before everything: who is here must ask the store.
    static let unknown: Position = -1

    private static let capacity = 128
    private let count = Atomic<Position>(0)
    /// The latest ones, oldest first. Read and written together with `count`.
    private let latest = Mutex<[SecretHash]>([])

    var position: Position { count.load(ordering: .acquiring) }

    func note(_ hash: SecretHash) {
        latest.withLock { latest in
            latest.append(hash)
            if latest.count > Self.capacity { latest.removeFirst() }
            count.add(1, ordering: .releasing)
        }
    }

    /// Many at once: everybody has to ask the store.
    func noteMany() {
        latest.withLock { latest in
            latest = []
            count.add(1, ordering: .releasing)
        }
    }

    /// - Returns: whether the credential was revoked since; nil if the log does not reach back so far.
    func hasRevoked(_ hash: SecretHash, since position: Position) -> Bool? {
        latest.withLock { latest in
            let missed = count.load(ordering: .relaxed) - position
            guard position >= 0, missed <= latest.count else { return nil }
            return latest.suffix(missed).contains(hash)
        }
    }
}

/// A session's knowledge of the credential that it is logged in with.
struct CredentialStatus: Sendable {
    /// The revocations up to here are known not to concern the credential.
    var position: RevocationLog.Position
    var expiresAt: Timestamp

    /// The store has to be asked.
    static let unknown = CredentialStatus(
        position: RevocationLog.unknown, expiresAt: Timestamp(milliseconds: 0))

    /// - Parameter position: the log's before the credential was looked up.
    init(_ credential: Credential, at position: RevocationLog.Position) {
        self.init(position: position, expiresAt: credential.expiresAt)
    }

    private init(position: RevocationLog.Position, expiresAt: Timestamp) {
        self.position = position
        self.expiresAt = expiresAt
    }
}
