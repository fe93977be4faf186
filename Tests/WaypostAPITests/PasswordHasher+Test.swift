@testable import Accounts

extension PasswordHasher {
    /// The least that libsodium takes, for tests in which many passwords are hashed.
    static func cheap() throws -> PasswordHasher {
        try PasswordHasher(
            cost: PasswordHash.Cost(operations: 1, memory: 8192), threads: 2,
            limits: HashingThreads.Limits(total: 1000))
    }
}
