import NavigationRules
import Sessions
import Testing

/// The tests that every `SessionStore` must pass, whatever it keeps its data in.
///
/// A store's tests run each of `checks`:
///
///     @Test(arguments: SessionStoreContract.checks)
///     func contract(_ check: SessionStoreContract.Check) async throws {
///         try await check(SessionStoreContract { MemoryStore() })
///     }
package struct SessionStoreContract: Sendable {
    /// Makes a new, empty store.
    package typealias Make = @Sendable () async throws -> any SessionStore
    /// Opens the same data again, like a process that starts later.
    package typealias Reopen = @Sendable (any SessionStore) async throws -> any SessionStore

    private let make: Make
    private let reopen: Reopen?

    /// - Parameter reopen: if given, the checks also read all data through a reopened store.
    package init(reopen: Reopen? = nil, make: @escaping Make) {
        self.make = make
        self.reopen = reopen
    }

    package struct Check: Sendable, CustomTestStringConvertible {
        package let testDescription: String
        private let run: @Sendable (SessionStoreContract) async throws -> Void

        init(
            _ description: String,
            _ run: @escaping @Sendable (SessionStoreContract) async throws -> Void
        ) {
            testDescription = description
            self.run = run
        }

        package func callAsFunction(_ contract: SessionStoreContract) async throws {
            try await run(contract)
        }
    }

    package static let checks =
        sessionChecks + eventChecks + logChecks + accountChecks + credentialChecks
        + idempotencyChecks
        + tokenChecks + commitChecks + changeChecks + versionChecks + purgeChecks
        + concurrencyChecks

    // MARK: For the checks

    func emptyStore() async throws -> any SessionStore { try await make() }

    /// Returns the store, and the reopened store if there is one, to read the data through both.
    func handles(of store: any SessionStore) async throws -> [any SessionStore] {
        guard let reopen else { return [store] }
        return [store, try await reopen(store)]
    }
}

extension SessionStore {
    package func insert(_ session: StoredSession, _ events: [LifecycleEvent] = []) async throws {
        try await commit(WriteBatch(storing: .insert(.stored(session)), events: events))
    }

    package func update(_ session: StoredSession, _ events: [LifecycleEvent] = []) async throws {
        let version = try await version(of: session.id)
        try await commit(
            WriteBatch(
                storing: .update(.stored(session), replacing: version), events: events))
    }

    package func delete(_ id: SessionID) async throws {
        try await commit(WriteBatch(session: .delete(id, replacing: try await version(of: id))))
    }

    /// Returns the version of a session's row; the first version if there is no such session.
    package func version(of id: SessionID) async throws -> RowVersion {
        try await versions(of: [id])[id] ?? .first
    }

    /// Returns the stored session with its row version set to the first, and with the end of a log
    /// that samples have.
    package func content(_ id: SessionID) async throws -> StoredSession? {
        guard let session = try await session(id) else { return nil }
        return StoredSession(
            id: session.id, name: session.name, tokenHash: session.tokenHash,
            createdAt: session.createdAt, expiresAt: session.expiresAt, window: session.window,
            credential: session.credential, credentialRefusal: session.credentialRefusal,
            logEnd: Sample.logEnd)
    }

    func allEvents(of id: SessionID) async throws -> [LifecycleEvent] {
        try await events(of: id, after: 0, limit: .max).events
    }
}

extension WriteBatch {
    /// Makes a batch that inserts or updates a session, with the complete state in its log.
    package init(
        storing change: SessionChange?, events: [LifecycleEvent] = [],
        idempotencyRecords: [IdempotencyRecord] = [], accountWrites: AccountWrites? = nil
    ) {
        self.init(
            session: change, idempotencyRecords: idempotencyRecords, accountWrites: accountWrites)
        store(events)
    }

    /// Puts events and the session's complete state into the log.
    package mutating func store(_ events: [LifecycleEvent]) {
        switch session {
        case .insert(let session): log = Sample.log(of: session, beginningWith: events)
        case .update(let session, _): log = Sample.log(of: session, after: events)
        case .delete, .deleteUnread, .check, nil: break
        }
    }

    /// Shortcuts for checks that write one value after another.
    package var account: AccountChange? {
        get { accountWrites?.account }
        set { setAccountWrites { $0.account = newValue } }
    }

    package var newCredential: Credential? {
        get { accountWrites?.newCredential }
        set { setAccountWrites { $0.newCredential = newValue } }
    }

    package var revocation: Revocation? {
        get { accountWrites?.revocation }
        set { setAccountWrites { $0.revocation = newValue } }
    }

    package var credentialUse: CredentialUse? {
        get { accountWrites?.credentialUse }
        set { setAccountWrites { $0.credentialUse = newValue } }
    }

    package var token: TokenChange? {
        get { accountWrites?.token }
        set { setAccountWrites { $0.token = newValue } }
    }

    package var idempotencyRecord: IdempotencyRecord? {
        get { idempotencyRecords.first }
        set { idempotencyRecords = newValue.map { [$0] } ?? [] }
    }

    private mutating func setAccountWrites(_ change: (inout AccountWrites) -> Void) {
        var writes = accountWrites ?? AccountWrites()
        change(&writes)
        accountWrites = writes
    }
}

extension WriteBatch.AccountChange {
    package static func delete(_ account: Account) -> Self { .delete(account, histories: []) }
}

extension WriteBatch.SessionChange {
    package static func insert(_ session: StoredSession) -> Self { .insert(.stored(session)) }

    package static func update(
        _ session: StoredSession, replacing version: RowVersion = .first
    ) -> Self {
        .update(.stored(session), replacing: version)
    }

    package static func delete(_ id: SessionID) -> Self { .delete(id, replacing: .first) }
}
