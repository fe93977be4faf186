import SQLStore
import SessionStoreTesting
import Sessions
import Synchronization
import TestSupport
import Testing

@testable import SQLiteStore

struct SharedTransactionTests {
    private typealias Sample = SessionStoreTesting.Sample

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("A rejected batch is undone completely, and the others in its transaction stay")
    func rejection() async throws {
        let metrics = CommitMetrics()
        let store = try SQLiteStore(path: folder.file("store.sqlite"), metrics: metrics)
        let names = ["ada", "grace", "edsger"]
        let batches = try names.enumerated().map { number, name in
            var batch = WriteBatch(storing: .insert(try Sample.session(number)))
            if name == "grace" { batch.session = .delete(try Sample.id(9)) }
            batch.account = .insert(try Sample.account(name))
            batch.newCredential = try Sample.credential(name)
            return batch
        }
        let results = Mutex<[SessionError?]>([])
        // The store's thread is busy with this call, so that the batches share a transaction.
        try await store.access { _ in
            for batch in batches {
                store.commit(batch) { result in
                    results.withLock { $0.append(result.error) }
                }
            }
        }
        let accounts = try await store.accounts(after: nil, limit: 9)
        #expect(results.withLock(\.self) == [nil, .ended, nil])
        #expect(accounts.map(\.username.key) == ["ada", "edsger"])
        #expect(try await store.credential(Sample.hash("grace")) == nil)
        #expect(metrics.size.count == 1)
        await store.close()
    }
}

extension Result<Void, SessionError> {
    fileprivate var error: SessionError? {
        if case .failure(let error) = self { error } else { nil }
    }
}
