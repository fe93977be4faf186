/// Returns the 64-bit FNV-1a hash. The hash distinguishes texts that nobody has chosen to collide.
@inline(__always)
func fnv1a(_ bytes: some Sequence<UInt8>) -> UInt64 {
    bytes.reduce(0xCBF2_9CE4_8422_2325) { hash, byte in
        (hash ^ UInt64(byte)) &* 0x100_0000_01B3
    }
}

/// Returns a hash for the slot of a text in a cache, computed from eight bytes at a time. A client
/// that makes texts collide only causes cache misses for its own requests.
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
