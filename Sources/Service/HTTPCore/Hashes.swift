/// Returns the 64-bit FNV-1a hash of the bytes. The hash is not cryptographic: somebody who chooses
/// the bytes can construct two inputs with the same hash.
func fnv1a(_ bytes: some Sequence<UInt8>) -> UInt64 {
    bytes.reduce(0xCBF2_9CE4_8422_2325) { hash, byte in
        (hash ^ UInt64(byte)) &* 0x100_0000_01B3
    }
}
