import CSodium

/// The parts of an argon2id hash in the format of libsodium's `crypto_pwhash_str`.
///
/// The type exists because `crypto_pwhash_str_verify` (libsodium 1.0.18) returns the same error for
/// a wrong password and for a lack of memory. `verify` therefore hashes the password with the same
/// salt and compares the hashes. It uses `crypto_pwhash`, which fails only if it cannot compute a
/// hash.
struct PasswordHashParts {
    private let cost: PasswordHash.Cost
    private let salt: [UInt8]
    private let hash: [UInt8]

    /// Parses a hash.
    /// - Parameter text: `$argon2id$v=19$m=KIBIBYTES,t=PASSES,p=1$SALT$HASH`, with the salt and the
    ///   hash in base64 without padding.
    /// - Returns: nil for any other format. An example is a hash with a parallelism `p` above 1,
    ///   which `crypto_pwhash` does not support.
    init?(_ text: String) {
        let fields = text.split(separator: "$", omittingEmptySubsequences: false)
        guard fields.count == 6, fields[0].isEmpty, fields[1] == "argon2id", fields[2] == "v=19",
            let cost = Self.cost(fields[3]),
            let salt = Self.bytes(fields[4]), salt.count == Int(crypto_pwhash_SALTBYTES),
            let hash = Self.bytes(fields[5]), hash.count >= Int(crypto_pwhash_BYTES_MIN)
        else { return nil }
        self.cost = cost
        self.salt = salt
        self.hash = hash
    }

    /// Parses the cost of a hash.
    /// - Parameter field: `m=KIBIBYTES,t=PASSES,p=1`.
    /// - Returns: nil if the field has another format.
    private static func cost(_ field: Substring) -> PasswordHash.Cost? {
        let numbers = field.split(separator: ",", omittingEmptySubsequences: false)
        guard numbers.count == 3, numbers[2] == "p=1", numbers[0].hasPrefix("m="),
            numbers[1].hasPrefix("t="), let kibibytes = UInt32(numbers[0].dropFirst(2)),
            let passes = UInt32(numbers[1].dropFirst(2))
        else { return nil }
        return PasswordHash.Cost(operations: UInt64(passes), memory: Int(kibibytes) * 1024)
    }

    private static func bytes(_ base64: Substring) -> [UInt8]? {
        let base64 = base64.utf8.map { CChar(bitPattern: $0) }
        var bytes = [UInt8](repeating: 0, count: base64.count)
        var count = 0
        let status = sodium_base642bin(
            &bytes, bytes.count, base64, base64.count, nil, &count, nil,
            sodium_base64_VARIANT_ORIGINAL_NO_PADDING)
        return status == 0 ? Array(bytes.prefix(count)) : nil
    }

    /// Checks whether a password matches the hash.
    /// - Returns: whether it matches; nil if there is not enough memory for the check.
    func verify(_ password: [CChar]) -> Bool? {
        var computed = [UInt8](repeating: 0, count: hash.count)
        let status = crypto_pwhash(
            &computed, UInt64(computed.count), password, UInt64(password.count), salt,
            cost.operations, cost.memory, crypto_pwhash_ALG_ARGON2ID13)
        guard status == 0 else { return nil }
        return sodium_memcmp(computed, hash, hash.count) == 0
    }
}
