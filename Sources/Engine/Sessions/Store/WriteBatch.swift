import NavigationRules
import WaypostCore

/// The writes that a store commits together, all of them or none.
public struct WriteBatch: Sendable {
    /// A write to a session's row.
    public enum SessionChange: Sendable {
        /// Inserts a session; its row gets the first version.
        case insert(StorableSession)
        /// Replaces a session; its row gets the next version. Rejected if the session does not
        /// exist or its row has another version.
        case update(StorableSession, replacing: RowVersion)
        /// Deletes a session. Rejected for the same reasons as an update.
        case delete(SessionID, replacing: RowVersion)
        /// Deletes a session without reading its row, whatever its version. Rejected with `.ended` if
        /// the session does not exist, and with `.conflict` if it has not expired at the given time;
        /// nil if it need not have expired.
        case deleteUnread(SessionID, expiredAt: Timestamp? = nil)
        /// Writes nothing. Rejected for the same reasons as an update. With a shared store, the
        /// commit of a check confirms that no other process has changed the session.
        case check(SessionID, version: RowVersion)

        public var id: SessionID {
            switch self {
            case .insert(let session), .update(let session, _): session.id
            case .delete(let id, _), .deleteUnread(let id, _), .check(let id, _): id
            }
        }
    }

    /// A write to an account.
    public enum AccountChange: Sendable {
        /// Inserts an account. Rejected if the username is taken.
        case insert(Account)
        /// Replaces an account. Rejected if any field of the stored account differs from `from`.
        case update(Account, from: Account)
        /// Deletes an account, its credentials, the session tokens that were made with these
        /// credentials, and the sessions that are logged in with one of them, valid or not. Sessions
        /// in which the credentials were issued, and that are no longer logged in with them, lose
        /// their history and their idempotency records. Rejected if any field of the stored account
        /// differs from the given account; with `.conflict` if the history of such a session is not
        /// among `histories`.
        /// - Parameter histories: the removals of these histories.
        case delete(Account, histories: [HistoryRemoval])
    }

    /// The removal of a session's history. The session's state and revision stay, and its row gets
    /// the next version. Rejected with `.conflict` if the row has another version or does not
    /// exist.
    public struct HistoryRemoval: Sendable {
        public let session: SessionID
        public let version: RowVersion
        /// The log that replaces the present one.
        public let log: LogWrite

        /// - Parameter stored: the session, as it was read from the store.
        public init(_ stored: StoredSession) {
            session = stored.id
            version = stored.version
            log = LogWrite(replacementFor: stored)
        }
    }

    /// The credentials to revoke: those with the given hashes, or all credentials of an account. In
    /// the second case, `except` is the hash of the one credential that is not revoked; nil if
    /// all are. Session tokens for other devices that were made with the revoked credentials are
    /// deleted, too.
    public enum Revocation: Sendable {
        case credentials([SecretHash])
        case all(of: Username, except: SecretHash?)
    }

    /// The oldest idempotency records of a session that have not expired at `now`. They are deleted
    /// after the new records are inserted. An expired record is left to the purge.
    public struct OutdatedRecords: Sendable {
        public let session: SessionID
        public let count: Int
        public let now: Timestamp

        public init(session: SessionID, count: Int, now: Timestamp) {
            self.session = session
            self.count = count
            self.now = now
        }
    }

    /// A use of a credential. Its time becomes the credential's `lastUsedAt`. Rejected if the
    /// credential was not valid at that time.
    public struct CredentialUse: Sendable {
        public let hash: SecretHash
        public let time: Timestamp

        public init(hash: SecretHash, time: Timestamp) {
            self.hash = hash
            self.time = time
        }
    }

    /// A write to a session's tokens for other devices.
    public enum TokenChange: Sendable {
        /// Inserts a token. Rejected if the session's credential is not `loggedInWith` (nil for a
        /// session without a credential), if the credential that made the token is no longer valid,
        /// or if the session already has `SessionToken.limit` tokens.
        case insert(SessionToken, loggedInWith: SecretHash?)
        case delete(SecretHash)
        case deleteAll(of: SessionID)
    }

    /// The writes to accounts, credentials and tokens for other devices. Most batches have none.
    public struct AccountWrites: Sendable {
        public var account: AccountChange?
        /// A credential to insert. The store then deletes the account's revoked or expired
        /// credentials except the newest `Credential.rememberedLimit`. If there are very many to
        /// delete, one commit may delete only a part of them.
        public var newCredential: Credential?
        /// The credentials to revoke. They are revoked before `newCredential` is inserted.
        public var revocation: Revocation?
        public var credentialUse: CredentialUse?
        public var token: TokenChange?

        public init(
            account: AccountChange? = nil, newCredential: Credential? = nil,
            revocation: Revocation? = nil, credentialUse: CredentialUse? = nil,
            token: TokenChange? = nil
        ) {
            self.account = account
            self.newCredential = newCredential
            self.revocation = revocation
            self.credentialUse = credentialUse
            self.token = token
        }
    }

    public var session: SessionChange?
    /// The records for the session's log. An `.insert` begins the log with them, an `.update` adds
    /// them; nil if there are none.
    public var log: LogWrite?
    public var idempotencyRecords: [IdempotencyRecord]
    /// The idempotency records that make room for new ones; nil if all stay.
    public var outdatedRecords: OutdatedRecords?
    /// The arrival of the oldest request whose change is in the batch. Nil if it is that of the
    /// present task, see `RequestStart`.
    public var requestStart: ContinuousClock.Instant?
    private var boxedAccountWrites: Box<AccountWrites>?

    public init(
        session: SessionChange? = nil, log: LogWrite? = nil,
        idempotencyRecords: [IdempotencyRecord] = [],
        accountWrites: AccountWrites? = nil
    ) {
        self.session = session
        self.log = log
        self.idempotencyRecords = idempotencyRecords
        boxedAccountWrites = accountWrites.map(Box.init)
    }

    public var accountWrites: AccountWrites? {
        get { boxedAccountWrites?.value }
        set { boxedAccountWrites = newValue.map(Box.init) }
    }
}

/// The version of a stored session's row. Each write to the row adds 1 to the version, even if the
/// session's revision stays the same. Only a store compares versions.
public struct RowVersion: Sendable, Equatable {
    public let number: Int

    public init(number: Int) { self.number = number }

    public static let first = RowVersion(number: 1)

    /// The version of the row after its next write.
    public var next: RowVersion { RowVersion(number: number + 1) }
}

/// A session to write: a state from memory, or a session in its stored form.
public enum StorableSession: Sendable {
    /// A session in memory. A `MemoryStore` keeps this object without copying it.
    case state(SessionState)
    /// A session that was read from a store. The case is indirect to keep the enum small: the value
    /// is large, and the case is rare.
    indirect case stored(StoredSession)

    public var id: SessionID { value({ $0.id }, { $0.id }) }

    /// The name that a client has given the session; nil if none.
    public var name: String? { value({ $0.name }, { $0.name }) }

    public var expiresAt: Timestamp { value({ $0.expiresAt }, { $0.expiresAt }) }
    public var createdAt: Timestamp { value({ $0.createdAt }, { $0.createdAt }) }
    var position: SessionPosition { SessionPosition(createdAt: createdAt, id: id) }
    package var tokenHash: SecretHash { value({ $0.tokenHash }, { $0.tokenHash }) }

    package var credentialRefusal: CredentialRefusal? {
        value({ $0.credentialRefusal }, { $0.credentialRefusal })
    }

    /// The hash of the credential that the session is logged in with; nil if there is none.
    public var credential: SecretHash? { value({ $0.credential }, { $0.credential }) }
    public var revision: Int { value({ $0.window.revision }, { $0.window.revision }) }

    @inline(__always) private func value<Value>(
        _ ofState: (SessionState) -> Value, _ ofStored: (StoredSession) -> Value
    ) -> Value {
        switch self {
        case .state(let session): ofState(session)
        case .stored(let session): ofStored(session)
        }
    }

    /// The summary of the visible view controller for `ListedSession`; nil if the session is not
    /// logged in to an account, because it is then in no list.
    public var summary: StoredWindow.Entry? {
        guard credential != nil, value({ $0.window.auth }, { $0.window.auth }).username != nil
        else { return nil }
        return value({ $0.window.summary }, { $0.window.topViewController?.summary })
    }

    /// Returns the session in its stored form.
    /// - Parameters:
    ///   - version: the version of the session's row.
    ///   - logEnd: the end of the session's log.
    public func stored(_ version: RowVersion, _ logEnd: LogEnd) -> StoredSession {
        switch self {
        case .state(let session): return StoredSession(session, version, logEnd)
        case .stored(var session):
            session.version = version
            session.logEnd = logEnd
            return session
        }
    }
}
