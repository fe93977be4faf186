/// A digest of content (FNV-1a, 64 bits) that is the same in every process: it tells versions of files
/// apart, not forgeries.
public struct ContentDigest: Sendable, Equatable {
    public private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    public init() {}

    mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }

    mutating func add(_ other: ContentDigest) {
        withUnsafeBytes(of: other.value.littleEndian) { add($0) }
    }
}
