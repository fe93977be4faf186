import Foundation
import SessionStoreTesting
import Sessions
import TestSupport
import Testing

@testable import PostgresStore

/// The tests of a store on a server need one, which `Tests/postgres/with` starts.
@Suite(.timeLimit(.minutes(10)), .enabled(if: TestDatabase.url != nil))
struct PostgresStoreContractTests {
    @Test(
        "PostgresStore satisfies the contract of all stores",
        arguments: SessionStoreContract.checks)
    func contract(_ check: SessionStoreContract.Check) async throws {
        let contract = SessionStoreContract(
            reopen: { store in
                let store = try #require(store as? PostgresStore)
                return try TestDatabase.open(store.target)
            },
            make: { try TestDatabase.open(try TestDatabase.make()) })
        try await check(contract)
    }
}
