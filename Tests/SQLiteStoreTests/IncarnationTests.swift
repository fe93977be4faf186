import SessionStoreTesting
import TestSupport
import Testing

@testable import SQLiteStore

/// Tests of the number that tells a restored store from the one before.
@Suite struct IncarnationTests {
    private let folder: TemporaryFolder
    private var path: String { folder.url.appending(path: "store.sqlite").path }
    private var backup: String { folder.url.appending(path: "backup.sqlite").path }

    init() throws { folder = try TemporaryFolder() }

    @Test("A store keeps its incarnation over restarts, and a restored one has another")
    func restore() async throws {
        let store = try SQLiteStore(path: path)
        let incarnation = try #require(store.incarnation)
        try await store.backup(to: backup)
        await store.close()
        let reopened = try SQLiteStore(path: path)
        #expect(reopened.incarnation == incarnation)
        await reopened.close()
        _ = try SQLiteStore.restore(backup, to: path)
        let restored = try SQLiteStore(path: path)
        #expect(restored.incarnation != incarnation)
        #expect(restored.incarnation != nil)
        await restored.close()
    }

    @Test("A store without its incarnation opens, and the check says so") func lost() async throws {
        do {
            let store = try SQLiteStore(path: path)
            try await store.access { try $0.execute(sql: "DELETE FROM store") }
            await store.close()
        }
        let store = try SQLiteStore(path: path)
        #expect(store.incarnation == nil)
        #expect(try await store.check().defects == ["the table store has 0 rows instead of 1"])
        await store.close()
    }

    @Test("Two stores have different incarnations") func twoStores() async throws {
        let store = try SQLiteStore(path: path)
        let other = try SQLiteStore(path: backup)
        #expect(store.incarnation != other.incarnation)
        await store.close()
        await other.close()
    }
}
