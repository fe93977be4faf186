import CSodium

/// 256 random bits that prove something to whoever holds their hash. Handed out once, and kept by
/// the client alone.
public struct Secret: Sendable {
    public enum Purpose: String, Sendable {
        /// Opens one session.
        case session = "wps_"
        /// Opens new sessions straight at the app root.
        case credential = "wpc_"
    }

    /// The purpose, then 64 hexadecimal digits.
    public let text: String

    public static func make(for purpose: Purpose, _ environment: Environment) -> Secret {
        let digits = (0..<4).map { _ in hexadecimal(environment.random()) }.joined()
        return Secret(text: purpose.rawValue + digits)
    }

    private init(text: String) { self.text = text }

    /// - Returns: nil if no secret of this purpose could be written so.
    public init?(_ text: some StringProtocol, for purpose: Purpose) {
        var text = String(text)
        let isWellFormed = text.withUTF8 { bytes in
            bytes.count == 68 && bytes.prefix(4).elementsEqual(purpose.rawValue.utf8)
                && bytes[4...].allSatisfy(isHexadecimalDigit)
        }
        guard isWellFormed else { return nil }
        self.text = text
    }

    public var hash: SecretHash { SecretHash(of: text) }
}

/// What is kept of a secret. A fast hash is enough: nobody guesses 256 random bits.
public struct SecretHash: Sendable, Hashable {
    /// 32 bytes.
    public let bytes: [UInt8]

    /// - Parameter bytes: 32 of them, as a store kept them.
    public init(bytes: [UInt8]) {
        precondition(bytes.count == 32)
        self.bytes = bytes
    }

    public init(of text: String) {
        var text = text
        var bytes = [UInt8](repeating: 0, count: 32)
        text.withUTF8 { input in
            _ = crypto_generichash(
                &bytes, bytes.count, input.baseAddress, UInt64(input.count), nil, 0)
        }
        self.bytes = bytes
    }

    /// Takes the same time wherever the two differ.
    public static func == (one: SecretHash, other: SecretHash) -> Bool {
        sodium_memcmp(one.bytes, other.bytes, 32) == 0
    }
}

/// 16 lower-case digits.
public func hexadecimal(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
}

public func isHexadecimalDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
}
