import Foundation
import SQLiteStore
import SessionStoreTesting
import Sessions
import Testing

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
                let copy = folder.newFile()
                try await #require(store as? SQLiteStore).backup(to: copy)
                return try SQLiteStore(path: copy)
            },
            make: { [folder] retention in
                try SQLiteStore(path: folder.newFile(), eventRetention: retention)
            })
        try await check(contract)
    }
}
