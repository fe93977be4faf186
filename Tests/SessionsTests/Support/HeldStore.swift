import Accounts
import Dispatch
import Navigation
import Synchronization

@testable import Sessions

/// A store that calls back when the test lets it: keeps updates of sessions until then.
final class HeldStore: NotifyingSessionStore {
    private typealias Held = (commit: Commit, done: @Sendable (Result<Void, CommitError>) -> Void)

    let memory = MemoryStore()
    private let held = Mutex<[Held]>([])
    /// Where it calls back from if nothing is held.
    private let queue: DispatchQueue?

    /// - Parameter queue: writes at once, there; nil holds what is to be written.
    init(writingOn queue: DispatchQueue? = nil) {
        self.queue = queue
    }

    var failure: StorageError? { nil }
    var heldCount: Int { held.withLock(\.count) }

    func commit(
        _ commit: Commit, then done: @escaping @Sendable (Result<Void, CommitError>) -> Void
    ) {
        guard case .update = commit.session else { return done(write(commit)) }
        guard let queue else { return held.withLock { $0.append((commit, done)) } }
        queue.async { done(self.write(commit)) }
    }

    private func write(_ commit: Commit) -> Result<Void, CommitError> {
        do throws(CommitError) {
            return .success(try memory.commit(commit))
        } catch {
            return .failure(error)
        }
    }

    /// Writes what is held, in order.
    func release() {
        for (commit, done) in takeAll() { done(write(commit)) }
    }

    func fail() {
        for (_, done) in takeAll() { done(.failure(.storage(TestStore.failure))) }
    }

    private func takeAll() -> [Held] {
        held.withLock { held in
            defer { held = [] }
            return held
        }
    }

    // MARK: As in memory

    func session(_ id: SessionID) -> StoredSession? { memory.session(id) }

    func events(of id: SessionID, after: Int, limit: Int) -> EventPage {
        memory.events(of: id, after: after, limit: limit)
    }

    func idempotencyRecord(_ id: SecretHash) -> IdempotencyRecord? { memory.idempotencyRecord(id) }

    func idempotencyUsage(of session: SessionID, at now: Timestamp) -> IdempotencyUsage {
        memory.idempotencyUsage(of: session, at: now)
    }
    func purge(before now: Timestamp) -> Bool { memory.purge(before: now) }
    func account(_ username: Username) -> Account? { memory.account(username) }
    func credential(_ hash: SecretHash) -> Credential? { memory.credential(hash) }
    func credential(_ id: CredentialID) -> Credential? { memory.credential(id) }

    func accounts(after: Username?, limit: Int) -> [Account] {
        memory.accounts(after: after, limit: limit)
    }

    func credentials(
        of username: Username, at now: Timestamp, after: CredentialPosition?, limit: Int
    ) -> [Credential] {
        memory.credentials(of: username, at: now, after: after, limit: limit)
    }
}
