/// An IP network: all addresses with the same prefix (RFC 4632), such as `10.0.0.0/8` or `::1/128`.
public struct Network: Sendable, Hashable {
    /// The first address of the network.
    public let address: NetworkAddress
    /// The length of the prefix in bits.
    public let prefixLength: Int

    /// Creates a network from any of its addresses.
    /// - Parameter prefixLength: the length of the prefix in bits, from 0 to the width of the
    ///   address. Bits of `address` after the prefix are ignored.
    /// - Returns: nil if `prefixLength` is out of range.
    public init?(_ address: NetworkAddress, prefixLength: Int) {
        guard (0...address.family.bitWidth).contains(prefixLength) else { return nil }
        self.prefixLength = prefixLength
        let bits = address.bits & Self.mask(address.family, prefixLength)
        self.address =
            address.family == .v4
            ? NetworkAddress(v4: UInt32(truncatingIfNeeded: bits)) : NetworkAddress(v6: bits)
    }

    /// Parses a network in CIDR notation. Bits after the prefix are ignored: `10.1.2.3/8` equals
    /// `10.0.0.0/8`.
    /// - Parameter text: a network such as `10.0.0.0/8`, or an address, which is parsed as a
    ///   network with one address.
    /// - Returns: nil if `text` is neither a network nor an address.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = NetworkAddress(withoutPort: String(parts[0])) else { return nil }
        guard parts.count == 2 else {
            self.init(address, prefixLength: address.family.bitWidth)
            return
        }
        guard parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let length = Int(parts[1])
        else { return nil }
        // The first 96 bits of an IPv4-mapped network such as `::ffff:10.0.0.0/104` are a fixed
        // prefix.
        let isMapped = address.family == .v4 && parts[0].contains(":")
        self.init(address, prefixLength: isMapped ? length - 96 : length)
    }

    /// Returns whether an address belongs to this network.
    public func contains(_ other: NetworkAddress) -> Bool {
        other.family == address.family
            && other.bits & Self.mask(address.family, prefixLength) == address.bits
    }

    private static func mask(_ family: NetworkAddress.Family, _ prefixLength: Int) -> UInt128 {
        let all = UInt128.max >> UInt128(128 - family.bitWidth)
        return all & ~(prefixLength == 0 ? all : all >> UInt128(prefixLength))
    }
}
