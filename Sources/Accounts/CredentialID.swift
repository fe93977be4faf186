/// Names a credential; not a secret. The first half of the hash that is kept of it, in 32 lower-case
/// hexadecimal digits: 128 bits of a hash of 256 random ones tell nothing of them.
public struct CredentialID: Sendable, Hashable, CustomStringConvertible {
    public let description: String

    public init(of hash: SecretHash) {
        description = hash.bytes.prefix(16).map { byte in
            String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }.joined()
    }

    /// - Returns: nil if no credential could be named so.
    public init?(_ text: String) {
        guard text.utf8.count == 32, text.utf8.allSatisfy(isHexadecimalDigit) else { return nil }
        description = text
    }

    /// The first 16 bytes of the credential's hash.
    public var bytes: [UInt8] {
        let digits = Array(description.utf8)
        return (0..<16).map { index in
            let byte = String(decoding: digits[2 * index..<2 * index + 2], as: UTF8.self)
            return UInt8(byte, radix: 16) ?? 0
        }
    }
}
