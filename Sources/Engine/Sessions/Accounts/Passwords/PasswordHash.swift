import CSodium

/// An argon2id hash (RFC 9106) with its salt and parameters, in libsodium's format:
/// `$argon2id$v=19$m=65536,t=2,p=1$…`.
public struct PasswordHash: Sendable, Equatable {
    /// The cost of computing one hash.
    struct Cost: Sendable {
        let operations: UInt64
        /// The memory that one computation uses, in bytes.
        let memory: Int

        /// The cost that libsodium suggests for interactive log-ins: 64 MiB of memory and two
        /// passes. One hash takes about 50 ms.
        static let interactive = Cost(
            operations: UInt64(crypto_pwhash_OPSLIMIT_INTERACTIVE),
            memory: Int(crypto_pwhash_MEMLIMIT_INTERACTIVE))
    }

    public let text: String

    /// Creates a value from a stored hash.
    /// - Parameter text: the hash in libsodium's format.
    public init(text: String) { self.text = text }

    /// Hashes a password with a new random salt.
    /// - Returns: nil if there is not enough memory.
    static func make(of password: [UInt8], cost: Cost) -> PasswordHash? {
        _ = sodium
        var text = [CChar](repeating: 0, count: Int(crypto_pwhash_STRBYTES))
        let password = password.map { CChar(bitPattern: $0) }
        let status = crypto_pwhash_str(
            &text, password, UInt64(password.count), cost.operations, cost.memory)
        guard status == 0 else { return nil }
        let characters = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return PasswordHash(text: String(decoding: characters, as: UTF8.self))
    }

    /// Checks whether a password matches the hash.
    /// - Returns: whether it matches; also false if there is not enough memory for the check, which
    ///   libsodium does not tell from a wrong password.
    func verify(_ password: [UInt8]) -> Bool {
        _ = sodium
        let password = password.map { CChar(bitPattern: $0) }
        return crypto_pwhash_str_verify(text, password, UInt64(password.count)) == 0
    }

    func isOutdated(_ cost: Cost) -> Bool {
        crypto_pwhash_str_needs_rehash(text, cost.operations, cost.memory) != 0
    }
}

/// The result of `sodium_init`, which chooses libsodium's implementations for this processor. Swift
/// evaluates this constant once, on its first use, which is before the first password is hashed.
private let sodium: Int32 = sodium_init()
