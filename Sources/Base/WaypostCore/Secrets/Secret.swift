import CSodium

/// A token of 256 random bits that proves the rights of a client. The service issues it once and
/// stores only its hash.
public struct Secret: Sendable {
    public enum Purpose: String, Sendable {
        /// The token of a session, which gives access to this session only.
        case session = "wps_"
        /// A credential, which a client gets at log-in and uses to open new sessions as the same
        /// user.
        case credential = "wpc_"
    }

    /// The token as text: the prefix for its purpose, then 64 lower-case hexadecimal digits.
    public let text: String

    /// Makes a new random secret.
    public static func make(for purpose: Purpose, _ environment: Environment) -> Secret {
        let digits = (0..<4).map { _ in hexadecimal(environment.random()) }.joined()
        return Secret(text: purpose.rawValue + digits)
    }

    private init(text: String) { self.text = text }

    /// Parses a secret.
    /// - Returns: nil if the text is not the prefix for this purpose, followed by 64 lower-case
    ///   hexadecimal digits.
    public init?(_ text: String, for purpose: Purpose) {
        var text = text
        guard text.withUTF8({ Self.isSecret(UnsafeRawBufferPointer($0), for: purpose) }) else {
            return nil
        }
        self.text = text
    }

    fileprivate static func isSecret(
        _ text: UnsafeRawBufferPointer, for purpose: Purpose
    ) -> Bool {
        var prefix = purpose.rawValue
        return text.count == 68
            && prefix.withUTF8 { prefix in prefix.indices.allSatisfy { prefix[$0] == text[$0] } }
            && areHexadecimalDigits(UnsafeRawBufferPointer(rebasing: text[4...]))
    }

    public var hash: SecretHash { SecretHash(of: text) }
}

/// The hash of a secret, which the service stores in place of the secret. A fast hash function is
/// sufficient because nobody can guess 256 random bits.
public struct SecretHash: Sendable, Hashable {
    // The words are stored inline to save memory, because each session has two hashes.
    private let words: InlineArray<4, UInt64>

    /// Creates a hash from its stored form.
    /// - Precondition: `bytes` contains exactly 32 bytes.
    public init(bytes: [UInt8]) {
        precondition(bytes.count == 32)
        words = bytes.withUnsafeBytes { bytes in
            InlineArray { bytes.loadUnaligned(fromByteOffset: 8 * $0, as: UInt64.self) }
        }
    }

    /// Hashes a text of any length.
    public init(of text: String) {
        var text = text
        self = text.withUTF8 { SecretHash(of: UnsafeRawBufferPointer($0)) }
    }

    /// Hashes a secret without copying its text.
    /// - Returns: nil if the text is not the prefix for this purpose, followed by 64 lower-case
    ///   hexadecimal digits.
    public init?(of text: UnsafeRawBufferPointer, for purpose: Secret.Purpose) {
        guard Secret.isSecret(text, for: purpose) else { return nil }
        self.init(of: text)
    }

    private init(of text: UnsafeRawBufferPointer) {
        var words = InlineArray<4, UInt64>(repeating: 0)
        _ = withUnsafeMutablePointer(to: &words) { hash in
            crypto_generichash(
                hash, 32, text.baseAddress?.assumingMemoryBound(to: UInt8.self),
                UInt64(text.count), nil, 0)
        }
        self.words = words
    }

    /// The 32 bytes of the hash.
    public var bytes: [UInt8] { withUnsafeBytes(of: words) { Array($0) } }

    /// Compares all words of the two hashes, so that the duration does not reveal where the first
    /// difference is. This is only a precaution: an attacker could at most learn how a hash begins,
    /// and a hash gives no access.
    public static func == (one: SecretHash, other: SecretHash) -> Bool {
        var difference: UInt64 = 0
        for index in one.words.indices { difference |= one.words[index] ^ other.words[index] }
        return difference == 0
    }

    public func hash(into hasher: inout Hasher) {
        for index in words.indices { hasher.combine(words[index]) }
    }
}

/// Returns a number as 16 lower-case hexadecimal digits.
public func hexadecimal(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
}

/// Returns bytes as lower-case hexadecimal digits, two for each byte.
public func hexadecimal(_ bytes: some Collection<UInt8>) -> String {
    String(unsafeUninitializedCapacity: 2 * bytes.count) { text in
        var index = 0
        for byte in bytes {
            text[index] = digit(byte >> 4)
            text[index + 1] = digit(byte & 15)
            index += 2
        }
        return index
    }
}

private func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
}

public func isHexadecimalDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
}

/// Returns whether all bytes are lower-case hexadecimal digits. The function checks eight bytes at
/// a time.
public func areHexadecimalDigits(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var index = 0
    while index + 8 <= bytes.count {
        let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        guard areHexadecimalDigits(word) else { return false }
        index += 8
    }
    return bytes[index...].allSatisfy(isHexadecimalDigit)
}

private func areHexadecimalDigits(_ bytes: UInt64) -> Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let highs: UInt64 = 0x8080_8080_8080_8080
    // Returns a word with the high bit set in each byte that is `byte` or more. The guard ensures
    // that no byte of `bytes` has its high bit set, so no sum carries into the next byte.
    func atLeast(_ byte: UInt8) -> UInt64 { bytes &+ ones &* UInt64(0x80 - byte) }
    guard bytes & highs == 0 else { return false }
    let digits = atLeast(UInt8(ascii: "0")) & ~atLeast(UInt8(ascii: "9") + 1)
    let letters = atLeast(UInt8(ascii: "a")) & ~atLeast(UInt8(ascii: "f") + 1)
    return (digits | letters) & highs == highs
}
