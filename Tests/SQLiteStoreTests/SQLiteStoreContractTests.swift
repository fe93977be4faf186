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

    @Test(arguments: SessionStoreContract.checks)
    func itKeepsToTheContractOfEveryStore(_ check: SessionStoreContract.Check) async throws {
        // Another process has the file only after this one: a backup stands in for it.
        let contract = SessionStoreContract(
            reopen: { store in
                let store = try #require(store as? SQLiteStore)
                let copy = newFile()
                try await store.backup(to: copy)
                return try SQLiteStore(path: copy, eventRetention: store.eventRetention)
            },
            make: { retention in
                try SQLiteStore(path: newFile(), eventRetention: retention)
            })
        try await check(contract)
    }
}
