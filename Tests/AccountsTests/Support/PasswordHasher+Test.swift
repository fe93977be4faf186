@testable import Sessions

extension PasswordHash.Cost {
    /// libsodium's minimum: one pass over 8 KiB.
    static let least = PasswordHash.Cost(operations: 1, memory: 8192)
}

extension PasswordHasher {
    static func cheap() throws -> PasswordHasher {
        try PasswordHasher(cost: .least, threads: 2, limits: HashingThreads.Limits(total: 1000))
    }

    /// Makes a hasher whose queue is always full.
    static func busy() throws -> PasswordHasher {
        try PasswordHasher(cost: .least, threads: 1, limits: HashingThreads.Limits(total: 0))
    }
}
