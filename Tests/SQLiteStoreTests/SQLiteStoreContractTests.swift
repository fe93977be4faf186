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
        "SQLiteStore satisfies the contract of all stores", arguments: SessionStoreContract.checks)
    func contract(_ check: SessionStoreContract.Check) async throws {
        // Another process cannot open the file at the same time, so a backup stands in for it.
        let contract = SessionStoreContract(
            reopen: { store in
                let store = try #require(store as? SQLiteStore)
                let copy = newFile()
                try await store.backup(to: copy)
                return try SQLiteStore(path: copy)
            },
            make: {
                let store = try SQLiteStore(path: newFile())
                // On a busy machine a step can end by its time limit before it has examined all rows.
                // The contract is about rows; `PurgeTests` covers the time.
                store.purgeLimits.withLock { $0.clock = { .zero } }
                return store
            })
        try await check(contract)
    }
}
