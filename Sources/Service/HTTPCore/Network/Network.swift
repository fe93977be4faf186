/// An IP network: all addresses with the same prefix (RFC 4632), such as `10.0.0.0/8` or `::1/128`.
public struct Network: Sendable, Hashable {
    /// The first address of the network.
    public let address: NetworkAddress
    /// The length of the prefix of the IPv6 address in bits. Also in an IPv4 network, that address
    /// is meant: it has 96 bits more, which are the same in all IPv4 addresses.
    public let prefixLength: Int

    /// Creates a network from any of its addresses.
    /// - Parameter prefixLength: the property of that name. Bits of `address` after the prefix are
    ///   ignored.
    /// - Returns: nil if `prefixLength` is out of range.
    public init?(_ address: NetworkAddress, prefixLength: Int) {
        guard ((address.isIPv4 ? 96 : 0)...128).contains(prefixLength) else { return nil }
        self.prefixLength = prefixLength
        self.address = NetworkAddress(bits: address.bits & Self.mask(prefixLength))
    }

    /// Parses a network in CIDR notation. Bits after the prefix are ignored: `10.1.2.3/8` equals
    /// `10.0.0.0/8`.
    /// - Parameter text: a network such as `10.0.0.0/8` or `::ffff:10.0.0.0/104`, or an address,
    ///   which is parsed as a network with one address.
    /// - Returns: nil if `text` is neither a network nor an address.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = NetworkAddress(withoutPort: String(parts[0])) else { return nil }
        guard parts.count == 2 else {
            self.init(address, prefixLength: 128)
            return
        }
        guard parts[1].utf8.allSatisfy(\.isDigit), let length = Int(parts[1]) else { return nil }
        // Any number above 32 is out of range.
        self.init(address, prefixLength: parts[0].contains(":") ? length : min(length, 33) + 96)
    }

    /// Returns whether an address belongs to this network. An IPv6 network has no IPv4 addresses.
    public func contains(_ other: NetworkAddress) -> Bool {
        other.isIPv4 == address.isIPv4 && other.bits & Self.mask(prefixLength) == address.bits
    }

    private static func mask(_ prefixLength: Int) -> UInt128 {
        // A shift by 128 bits gives 0.
        UInt128.max << (128 - prefixLength)
    }
}
