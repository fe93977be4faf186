/// Returns the 64-bit FNV-1a hash. The hash distinguishes texts unless somebody has chosen them to
/// collide.
func fnv1a(_ bytes: some Sequence<UInt8>) -> UInt64 {
    bytes.reduce(0xCBF2_9CE4_8422_2325) { hash, byte in
        (hash ^ UInt64(byte)) &* 0x100_0000_01B3
    }
}
