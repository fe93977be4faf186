@testable import Accounts

extension PasswordHash.Cost {
    /// The least that libsodium takes: one pass over 8 KiB.
    static let least = PasswordHash.Cost(operations: 1, memory: 8192)
}

extension PasswordHasher {
    static func cheap(threads: Int = 2, queueLimit: Int = 1000) throws -> PasswordHasher {
        try PasswordHasher(cost: .least, threads: threads, queueLimit: queueLimit)
    }

    /// One that never has a place free.
    static func busy() throws -> PasswordHasher {
        try PasswordHasher(cost: .least, threads: 1, queueLimit: 0)
    }
}
