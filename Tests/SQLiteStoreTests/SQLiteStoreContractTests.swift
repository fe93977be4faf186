import Foundation
import SessionStoreTesting
import Sessions
import Testing

@testable import SQLiteStore

@Suite(.timeLimit(.minutes(10))) struct SQLiteStoreContractTests {
    /// Removed with the tests.
    private final class Folder: Sendable {
        let path = NSTemporaryDirectory() + "SQLiteStoreContractTests-" + UUID().uuidString

        init() throws {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true)
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }

        func newFile() -> String { path + "/" + UUID().uuidString + ".sqlite" }
    }

    private let folder: Folder

    init() throws { folder = try Folder() }

    @Test(arguments: SessionStoreContract.checks)
    func itKeepsToTheContractOfEveryStore(_ check: SessionStoreContract.Check) async throws {
        // Another process has the file only after this one: a backup stands in for it.
        let contract = SessionStoreContract(
            reopen: { [folder] store in
                let store = try #require(store as? SQLiteStore)
                let copy = folder.newFile()
                try await store.backup(to: copy)
                return try SQLiteStore(path: copy, eventRetention: store.eventRetention)
            },
            make: { [folder] retention in
                try SQLiteStore(path: folder.newFile(), eventRetention: retention)
            })
        try await check(contract)
    }
}
