@testable import Sessions

extension PasswordHasher {
    /// Returns a hasher with libsodium's minimum cost, for tests that hash many passwords.
    static func cheap() throws -> PasswordHasher {
        try PasswordHasher(
            cost: PasswordHash.Cost(operations: 1, memory: 8192), threads: 2,
            limits: HashingThreads.Limits(total: 1000))
    }
}
