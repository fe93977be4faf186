import WaypostCore

/// The id of a session: 128 random bits, written as 32 lower-case hexadecimal digits. It is not a
/// secret.
public struct SessionID: Sendable, Hashable, Comparable, CustomStringConvertible {
    private let high: UInt64
    private let low: UInt64

    static func make(_ environment: Environment) -> SessionID {
        SessionID(high: environment.random(), low: environment.random())
    }

    /// Returns the index of the shard in a `Sharded` to which the session belongs. The ids are
    /// spread evenly over the shards.
    /// - Parameter count: the number of shards, a power of two.
    public func part(of count: Int) -> Int { Int(truncatingIfNeeded: low) & (count - 1) }

    private init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Parses an id.
    /// - Returns: nil if the text is not `length` lower-case hexadecimal digits.
    public init?(_ text: Substring) {
        var text = text
        let id = text.withUTF8 { digits -> SessionID? in
            let digits = UnsafeRawBufferPointer(digits)
            guard digits.count == Self.length, areHexadecimalDigits(digits) else { return nil }
            return SessionID(
                high: Self.number(digits, at: 0), low: Self.number(digits, at: 16))
        }
        guard let id else { return nil }
        self = id
    }

    public init?(_ text: String) { self.init(text[...]) }

    /// Parses 16 hexadecimal digits.
    /// - Parameters:
    ///   - digits: lower-case hexadecimal digits.
    ///   - index: the index of the first digit to parse.
    private static func number(_ digits: UnsafeRawBufferPointer, at index: Int) -> UInt64 {
        func half(_ offset: Int) -> UInt64 {
            let bytes = UInt64(
                bigEndian: digits.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            // The low four bits of the digits `0` to `9` are the value of the digit. The low four
            // bits of `a` to `f` are 1 to 6.
            let low = bytes & 0x0F0F_0F0F_0F0F_0F0F
            var packed = low &+ (bytes >> 6 & 0x0101_0101_0101_0101) &* 9
            // Each of the eight bytes now holds a value of four bits. The next lines pack them.
            packed = (packed | packed >> 4) & 0x00FF_00FF_00FF_00FF
            packed = (packed | packed >> 8) & 0x0000_FFFF_0000_FFFF
            return (packed | packed >> 16) & 0xFFFF_FFFF
        }
        return half(index) << 32 | half(index + 8)
    }

    /// Makes an id from 16 bytes. Each byte becomes two digits of the id, in the same order.
    /// - Returns: nil if the number of bytes is not 16.
    public init?(bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        self = bytes.withUnsafeBytes { bytes in
            SessionID(
                high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
                low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
        }
    }

    /// Compares two ids byte by byte. Their texts have the same order.
    public static func < (one: SessionID, other: SessionID) -> Bool {
        (one.high, one.low) < (other.high, other.low)
    }

    /// The id as 16 bytes, in the order of the digits.
    public var bytes: [UInt8] {
        withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { Array($0) }
    }

    public var description: String {
        String(unsafeUninitializedCapacity: Self.length) { digits in
            write(into: digits)
            return Self.length
        }
    }

    /// The number of digits.
    public static let length = 32

    /// Writes the digits of the id.
    /// - Parameter digits: memory for `length` bytes.
    public func write(into digits: UnsafeMutableBufferPointer<UInt8>) {
        for index in 0..<16 {
            digits[index] = Self.digit(high >> (60 - 4 * index))
            digits[16 + index] = Self.digit(low >> (60 - 4 * index))
        }
    }

    private static func digit(_ number: UInt64) -> UInt8 {
        let value = UInt8(truncatingIfNeeded: number) & 15
        return value &+ (value < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") &- 10)
    }
}
