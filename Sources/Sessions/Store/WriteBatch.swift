import Accounts
import Navigation
import WaypostCore

/// Everything that one commit writes.
public struct WriteBatch: Sendable {
    public enum SessionChange: Sendable {
        /// The row gets the first version.
        case insert(SessionContent)
        /// Refused if there is no such session, or one of another version. The row gets the next version.
        case update(SessionContent, replacing: RowVersion)
        /// Refused like an update.
        case delete(SessionID, replacing: RowVersion)

        public var id: SessionID {
            switch self {
            case .insert(let session), .update(let session, _): session.id
            case .delete(let id, _): id
            }
        }
    }

    public enum AccountChange: Sendable {
        /// Refused if the name is taken.
        case insert(Account)
        /// Refused unless the account is as it was found, password and all.
        case update(Account, from: Account)
        /// Removes the account's credentials, too. Refused unless the account is as it was found.
        case delete(Account)
    }

    public enum Revocation: Sendable {
        case credentials([SecretHash])
        case all(of: Username, except: SecretHash?)
    }

    public struct CredentialUse: Sendable {
        public let hash: SecretHash
        public let time: Timestamp

        public init(hash: SecretHash, time: Timestamp) {
            self.hash = hash
            self.time = time
        }
    }

    /// The writes that are not of a session: few batches have any.
    public struct AccountWrites: Sendable {
        public var account: AccountChange?
        /// The store removes refused credentials of the account with it, all but about the newest
        /// `Credential.rememberedLimit`.
        public var newCredential: Credential?
        /// Comes before the new credential.
        public var revocation: Revocation?
        public var credentialUse: CredentialUse?

        public init() {}
    }

    public var session: SessionChange?
    /// The events of the session, in order.
    public var events: [LifecycleEvent]
    public var idempotencyRecords: [IdempotencyRecord] = []
    private var boxedAccountWrites: AccountWritesBox?

    public init(session: SessionChange? = nil, events: [LifecycleEvent] = []) {
        self.session = session
        self.events = events
    }

    public var accountWrites: AccountWrites? {
        get { boxedAccountWrites?.writes }
        set { boxedAccountWrites = newValue.map(AccountWritesBox.init) }
    }

    /// Keeps a batch small: it is passed from hand to hand for each change.
    private final class AccountWritesBox: Sendable {
        let writes: AccountWrites

        init(_ writes: AccountWrites) { self.writes = writes }
    }
}

/// The version of a stored row. Every write of the row changes it, also one that does not change the
/// session's revision. A store compares it; everybody else passes it on.
public struct RowVersion: Sendable, Equatable {
    public let number: Int

    public init(number: Int) { self.number = number }

    public static let first = RowVersion(number: 1)

    /// The version that a write of the row makes of this one.
    public var next: RowVersion { RowVersion(number: number + 1) }
}

/// A session that is to be written.
public enum SessionContent: Sendable {
    /// A session that lives in memory: a store in memory keeps it without a copy.
    case snapshot(SessionSnapshot)
    /// A session that another store kept. Indirect, as it is large and rare.
    indirect case stored(StoredSession)

    public var id: SessionID {
        switch self {
        case .snapshot(let session): session.id
        case .stored(let session): session.id
        }
    }

    public var expiresAt: Timestamp {
        switch self {
        case .snapshot(let session): session.expiresAt
        case .stored(let session): session.expiresAt
        }
    }

    /// - Parameter version: the version of the row.
    public func stored(_ version: RowVersion) -> StoredSession {
        switch self {
        case .snapshot(let session): return StoredSession(session, version)
        case .stored(var session):
            session.version = version
            return session
        }
    }
}
