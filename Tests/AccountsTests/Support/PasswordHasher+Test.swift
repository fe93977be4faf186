import WaypostCore

@testable import Sessions

extension PasswordHash.Cost {
    /// libsodium's minimum: one pass over 8 KiB.
    static let least = PasswordHash.Cost(operations: 1, memory: 8192)
}

extension PasswordHasher {
    /// Makes a hasher whose queue is always full.
    static func busy() throws -> PasswordHasher {
        try PasswordHasher(cost: .least, threads: 1, limits: WorkLimits(total: 0))
    }
}
