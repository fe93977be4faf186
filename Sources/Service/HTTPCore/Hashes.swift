/// Returns the 64-bit FNV-1a hash of the bytes. The hash is not cryptographic: somebody who chooses
/// the bytes can construct two inputs with the same hash.
///
/// The function is inlinable, so that other modules specialise it for arrays. Without that, it is
/// called through the protocol for each byte.
@inlinable func fnv1a(_ bytes: some Sequence<UInt8>) -> UInt64 {
    bytes.reduce(0xCBF2_9CE4_8422_2325) { hash, byte in
        (hash ^ UInt64(byte)) &* 0x100_0000_01B3
    }
}

/// Returns a number of the random number generator SplitMix64. The numbers repeat only after 2^64
/// indexes, and look random even for consecutive ones. They are not secret.
public func splitMix64(_ index: UInt64, seed: UInt64) -> UInt64 {
    var bits = seed &+ index &* 0x9E37_79B9_7F4A_7C15
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
}
