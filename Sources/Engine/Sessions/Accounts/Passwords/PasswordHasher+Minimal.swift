import WaypostCore

extension PasswordHasher {
    /// Makes a hasher with libsodium's minimum cost, for accounts that exist only during a test. A
    /// hash of this cost does not protect a password.
    /// - Throws: `.passwordsBusy` if there is not enough memory for one hash.
    public static func minimal(threads: Int = 1) throws(SessionError) -> PasswordHasher {
        try PasswordHasher(
            cost: PasswordHash.Cost(operations: 1, memory: 8192), threads: threads,
            limits: WorkLimits(total: 100_000))
    }
}
