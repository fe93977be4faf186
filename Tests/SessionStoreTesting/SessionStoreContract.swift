import Accounts
import Navigation
import Sessions
import Testing

/// What every `SessionStore` must keep to, whatever it keeps its data in.
///
/// A store's tests run each of `checks`:
///
///     @Test(arguments: SessionStoreContract.checks)
///     func contract(_ check: SessionStoreContract.Check) async throws {
///         try await check(SessionStoreContract { MemoryStore(eventRetention: $0) })
///     }
public struct SessionStoreContract: Sendable {
    /// Makes a new store, with nothing in it, that keeps at least so many events of each session.
    public typealias Make = @Sendable (_ eventRetention: Int) async throws -> any SessionStore
    /// Makes another handle of the same data, as a process has it that starts later.
    public typealias Reopen = @Sendable (any SessionStore) async throws -> any SessionStore

    private let make: Make
    private let reopen: Reopen?

    /// - Parameter reopen: where it is given, all that was written is read through it, too.
    public init(reopen: Reopen? = nil, make: @escaping Make) {
        self.make = make
        self.reopen = reopen
    }

    public struct Check: Sendable, CustomTestStringConvertible {
        public let testDescription: String
        private let run: @Sendable (SessionStoreContract) async throws -> Void

        init(
            _ description: String,
            _ run: @escaping @Sendable (SessionStoreContract) async throws -> Void
        ) {
            testDescription = description
            self.run = run
        }

        public func callAsFunction(_ contract: SessionStoreContract) async throws {
            try await run(contract)
        }
    }

    public static let checks =
        sessionChecks + eventChecks + accountChecks + credentialChecks + idempotencyChecks
        + commitChecks + changeChecks + purgeChecks + concurrencyChecks

    // MARK: For the checks

    func emptyStore(eventRetention: Int = 10_000) async throws -> any SessionStore {
        try await make(eventRetention)
    }

    /// All ways in which what the store has kept can be read.
    func handles(of store: any SessionStore) async throws -> [any SessionStore] {
        guard let reopen else { return [store] }
        return [store, try await reopen(store)]
    }
}

extension SessionStore {
    func insert(_ session: StoredSession, _ events: [LifecycleEvent] = []) async throws {
        var commit = Commit(session: .insert(session))
        commit.events = events
        try await self.commit(commit)
    }

    func update(_ session: StoredSession, _ events: [LifecycleEvent] = []) async throws {
        var commit = Commit(session: .update(session))
        commit.events = events
        try await self.commit(commit)
    }

    func allEvents(of id: SessionID) async throws -> [LifecycleEvent] {
        try await events(of: id, after: 0, limit: .max).events
    }
}
