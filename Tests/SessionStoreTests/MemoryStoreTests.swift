import SessionStoreTesting
import Sessions
import Testing

@Suite("The store in memory", .timeLimit(.minutes(10)))
struct MemoryStoreTests {
    @Test("Keeps to the contract of every store", arguments: SessionStoreContract.checks)
    func contract(_ check: SessionStoreContract.Check) async throws {
        try await check(SessionStoreContract { MemoryStore() })
    }
}
