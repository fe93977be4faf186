import Synchronization
import WaypostCore

/// The revocation of credentials, or of a token for another device.
///
/// `username` is the account's username; nil if it is unknown.
public enum AccountRevocation: Sendable {
    case credential(SecretHash, of: Username?)
    case all(of: Username, except: SecretHash?)
    case token(SecretHash, of: Username)

    public var username: Username? {
        switch self {
        case .credential(_, let username): username
        case .all(let username, _), .token(_, let username): username
        }
    }
}

/// A log of the credentials that this process has recently revoked. A session in memory checks its
/// credential against the log, and need not read the credential from the store at each request.
///
/// The log does not contain the revocations of other processes. In a shared store, such a
/// revocation changes the row version of each session that uses the credential. The session then
/// reads its row and its credential again.
final class RevocationLog: Sendable {
    /// A position in the log: the number of revocations of credentials so far. A session at the log's present position has taken all revocations into account.
    typealias Position = Int

    /// The position of a session that has not checked its credential yet. The session has to read
    /// the credential from the store.
    static let unknown: Position = -1

    private static let capacity = 128
    private let count = Atomic<Position>(0)
    /// The latest revocations of credentials, the oldest first. The lock of this array also
    /// protects every change of `count`, which is the log's present position.
    private let latest = Mutex<[AccountRevocation]>([])
    private let observer = Mutex<(@Sendable (AccountRevocation) -> Void)?>(nil)

    var position: Position { count.load(ordering: .acquiring) }

    /// Records a revocation and tells the observer. The log does not record a token, because no
    /// session is logged in with it.
    func note(_ revocation: AccountRevocation) {
        switch revocation {
        case .token: break
        case .credential, .all:
            latest.withLock { latest in
                latest.append(revocation)
                if latest.count > Self.capacity { latest.removeFirst() }
                count.add(1, ordering: .releasing)
            }
        }
        observer.withLock(\.self)?(revocation)
    }

    /// Records the revocations of a commit.
    /// - Parameter username: the username of the account whose credentials the writes revoke one by
    ///   one; nil if they do not.
    func note(_ writes: WriteBatch.AccountWrites, of username: Username?) {
        switch (writes.revocation, writes.account) {
        case (_, .delete(let account, _)): note(.all(of: account.username, except: nil))
        case (.all(let username, let exception), _): note(.all(of: username, except: exception))
        case (.credentials(let hashes), _):
            for hash in hashes { note(.credential(hash, of: username)) }
        case (nil, _): break
        }
    }

    /// Sets the closure that is called after each revocation, on the thread that made the
    /// revocation.
    func observe(_ observe: @escaping @Sendable (AccountRevocation) -> Void) {
        observer.withLock { $0 = observe }
    }

    /// Returns whether a credential was revoked after a position.
    /// - Parameter username: the username of the credential's account; nil if it is unknown.
    /// - Returns: nil if only the store knows. The log then no longer holds all revocations after
    ///   the position, or all credentials of the account were revoked, perhaps before this one was
    ///   issued.
    func hasRevoked(
        _ hash: SecretHash, of username: Username?, since position: Position
    ) -> Bool? {
        latest.withLock { latest in
            let missed = count.load(ordering: .relaxed) - position
            guard position >= 0, missed <= latest.count else { return nil }
            var isKnown = true
            for revocation in latest.suffix(missed) {
                switch revocation {
                case .credential(hash, _): return true
                case .all(let other, let exception):
                    if exception != hash, username.map({ $0.key == other.key }) ?? true {
                        isKnown = false
                    }
                case .credential, .token: break
                }
            }
            return isKnown ? false : nil
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
