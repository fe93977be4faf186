import Foundation
import SessionStoreTesting
import Sessions
import TestSupport
import Testing

@testable import SQLiteStore

@Suite(.timeLimit(.minutes(10))) struct SQLiteStoreContractTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func newFile() -> String { folder.file("\(UUID().uuidString).sqlite") }

    @Test(
        "SQLiteStore keeps to the contract of every store", arguments: SessionStoreContract.checks)
    func contract(_ check: SessionStoreContract.Check) async throws {
        // Another process has the file only after this one: a backup stands in for it.
        let contract = SessionStoreContract(
            reopen: { store in
                let store = try #require(store as? SQLiteStore)
                let copy = newFile()
                try await store.backup(to: copy)
                return try SQLiteStore(path: copy, eventRetention: store.eventRetention)
            },
            make: { retention in
                let store = try SQLiteStore(path: newFile(), eventRetention: retention)
                // On a busy machine a step of the purge can end by its time before it has looked at
                // all: the contract is about rows, and `PurgeTests` about the time.
                store.purgeLimits.withLock { $0.clock = { .zero } }
                return store
            })
        try await check(contract)
    }
}
