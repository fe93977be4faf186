import Accounts
import Navigation
import WaypostCore

/// The writes of one commit.
public struct WriteBatch: Sendable {
    /// A write to a session's row.
    public enum SessionChange: Sendable {
        /// Inserts a session; its row gets the first version.
        case insert(SessionContent)
        /// Replaces a session; its row gets the next version. Rejected if the session does not exist
        /// or its row has another version.
        case update(SessionContent, replacing: RowVersion)
        /// Deletes a session. Rejected for the same reasons as an update.
        case delete(SessionID, replacing: RowVersion)
        /// Writes nothing. Rejected for the same reasons as an update. With a shared store, the
        /// commit of a check confirms that no other process has changed the session.
        case check(SessionID, version: RowVersion)

        public var id: SessionID {
            switch self {
            case .insert(let session), .update(let session, _): session.id
            case .delete(let id, _), .check(let id, _): id
            }
        }
    }

    /// A write to an account.
    public enum AccountChange: Sendable {
        /// Inserts an account. Rejected if the username is taken.
        case insert(Account)
        /// Replaces an account. Rejected if any field of the stored account differs from `from`.
        case update(Account, from: Account)
        /// Deletes an account, its credentials and their tokens. Rejected if any field of the stored
        /// account differs from this one.
        case delete(Account)
    }

    /// The credentials to revoke: those with these hashes, or all of an account except one. The session
    /// tokens that were made for other devices with these credentials are deleted, too.
    public enum Revocation: Sendable {
        case credentials([SecretHash])
        case all(of: Username, except: SecretHash?)
    }

    /// A use of a credential, to store as its last use. Rejected if the credential is not valid at
    /// that time.
    public struct CredentialUse: Sendable {
        public let hash: SecretHash
        public let time: Timestamp

        public init(hash: SecretHash, time: Timestamp) {
            self.hash = hash
            self.time = time
        }
    }

    /// A write to the further tokens of a session.
    public enum TokenChange: Sendable {
        /// Inserts a token. Rejected if its session has another credential than `loggedInWith`, if the
        /// credential of the token is no longer valid, or if the session has `SessionToken.limit`
        /// tokens.
        case insert(SessionToken, loggedInWith: SecretHash?)
        case delete(SecretHash)
        case deleteAll(of: SessionID)
    }

    /// A new name of a session; a nil name removes the old one. Rejected if the session does not exist.
    /// The version of the session's row stays the same. The type is a class so that it takes little
    /// room in a draft, as few drafts have a name.
    public final class Naming: Sendable {
        public let session: SessionID
        public let name: String?

        public init(_ session: SessionID, _ name: String?) {
            self.session = session
            self.name = name
        }
    }

    /// The writes to accounts, credentials, further tokens and names. Few batches have any.
    public struct AccountWrites: Sendable {
        public var account: AccountChange?
        /// A credential to insert. The store then keeps about `Credential.rememberedLimit` of the
        /// account's invalid credentials and removes the oldest ones.
        public var newCredential: Credential?
        /// The credentials to revoke, before the new credential is inserted.
        public var revocation: Revocation?
        public var credentialUse: CredentialUse?
        public var token: TokenChange?
        public var naming: Naming?

        public init(
            account: AccountChange? = nil, newCredential: Credential? = nil,
            revocation: Revocation? = nil, credentialUse: CredentialUse? = nil
        ) {
            self.account = account
            self.newCredential = newCredential
            self.revocation = revocation
            self.credentialUse = credentialUse
        }
    }

    public var session: SessionChange?
    /// The session's new events, in order.
    public var events: [LifecycleEvent]
    public var idempotencyRecords: [IdempotencyRecord]
    /// The journal of the changes that an `.update` of the session stores; nil if no history is kept.
    /// The store ignores it with any other `SessionChange`.
    public var journal: JournalBatch?
    private var boxedAccountWrites: AccountWritesBox?

    public init(
        session: SessionChange? = nil, events: [LifecycleEvent] = [],
        idempotencyRecords: [IdempotencyRecord] = [], journal: JournalBatch? = nil,
        accountWrites: AccountWrites? = nil
    ) {
        self.session = session
        self.events = events
        self.idempotencyRecords = idempotencyRecords
        self.journal = journal
        boxedAccountWrites = accountWrites.map(AccountWritesBox.init)
    }

    public var accountWrites: AccountWrites? {
        get { boxedAccountWrites?.writes }
        set { boxedAccountWrites = newValue.map(AccountWritesBox.init) }
    }

    /// A reference that keeps a batch small, as each change passes its batch through several
    /// functions.
    private final class AccountWritesBox: Sendable {
        let writes: AccountWrites

        init(_ writes: AccountWrites) { self.writes = writes }
    }
}

/// The version of a stored session's row. Each write of the row except a new name changes the version,
/// even if the session's revision stays the same. Only a store compares versions.
public struct RowVersion: Sendable, Equatable {
    public let number: Int
    /// The difference from this number to the next one.
    private let step: Int32

    public init(number: Int) { self.init(number: number, step: 1) }

    private init(number: Int, step: Int32) {
        self.number = number
        self.step = step
    }

    public static let first = RowVersion(number: 1)

    /// The version of the row after its next write.
    public var next: RowVersion { RowVersion(number: number + Int(step)) }

    /// Returns this version with a random `next` version, for a shared store. After a failover that
    /// loses a write, another write may take its place. The two writes then give the row different
    /// versions, so that the process that made the lost write gets a conflict.
    func withRandomNext(_ environment: Environment) -> RowVersion {
        RowVersion(number: number, step: 1 + Int32(environment.random() % 0xFFFF))
    }

    public static func == (one: RowVersion, other: RowVersion) -> Bool {
        one.number == other.number
    }
}

/// A session to write.
public enum SessionContent: Sendable {
    /// A session in memory; a memory store keeps the snapshot without a copy.
    case snapshot(SessionSnapshot)
    /// A session from another store. The case is indirect because the value is large and rare.
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

    public var createdAt: Timestamp {
        switch self {
        case .snapshot(let session): session.createdAt
        case .stored(let session): session.createdAt
        }
    }

    /// The credential that the session is logged in with.
    public var credential: SecretHash? {
        switch self {
        case .snapshot(let session): session.credential
        case .stored(let session): session.credential
        }
    }

    /// Returns the session in its stored form.
    /// - Parameters:
    ///   - version: the version of the row.
    ///   - journal: the end of the session's journal.
    public func stored(
        _ version: RowVersion, _ journal: JournalPosition? = nil
    ) -> StoredSession {
        switch self {
        case .snapshot(let session): return StoredSession(session, version, journal)
        case .stored(var session):
            session.version = version
            session.journal = journal
            return session
        }
    }
}
