/// FNV-1a, 64 bits: tells texts apart that nobody has chosen to be alike.
@inline(__always)
func fnv1a(_ bytes: some Sequence<UInt8>) -> UInt64 {
    bytes.reduce(0xCBF2_9CE4_8422_2325) { hash, byte in
        (hash ^ UInt64(byte)) &* 0x100_0000_01B3
    }
}

/// Finds a place in a table for texts that come again and again: eight bytes at a time. Who sends
/// texts to be at one place has them read each time, no more.
public func wordHash(_ bytes: UnsafeRawBufferPointer, seed: UInt64 = 0) -> UInt64 {
    var hash = seed
    var index = 0
    while index < bytes.count {
        var word: UInt64 = 0
        if index + 8 <= bytes.count {
            word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        } else {
            for byte in bytes[index...] { word = word << 8 | UInt64(byte) }
        }
        hash = (hash ^ word) &* 0x9E37_79B9_7F4A_7C15
        hash ^= hash >> 32
        index += 8
    }
    return hash
}
