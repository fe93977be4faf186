/// All addresses that begin with the same bits (RFC 4632): `10.0.0.0/8`, `::1/128`.
public struct Network: Sendable, Hashable {
    /// The first one.
    public let address: NetworkAddress
    /// In bits.
    public let prefixLength: Int

    /// - Parameter prefixLength: from 0 to the width of the address; bits behind it do not count.
    public init?(_ address: NetworkAddress, prefixLength: Int) {
        guard (0...address.family.bitWidth).contains(prefixLength) else { return nil }
        self.prefixLength = prefixLength
        let bits = address.bits & Self.mask(address.family, prefixLength)
        self.address =
            address.family == .v4
            ? NetworkAddress(v4: UInt32(truncatingIfNeeded: bits)) : NetworkAddress(v6: bits)
    }

    /// - Parameter text: in CIDR notation; an address without a length is a network of one. Bits
    ///   behind the prefix do not count: `10.1.2.3/8` is `10.0.0.0/8`.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = NetworkAddress(withoutPort: String(parts[0])) else { return nil }
        guard parts.count == 2 else {
            self.init(address, prefixLength: address.family.bitWidth)
            return
        }
        guard parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let length = Int(parts[1])
        else { return nil }
        // The first 96 bits of `::ffff:10.0.0.0/104` only say that it is an IPv4 address.
        let isMapped = address.family == .v4 && parts[0].contains(":")
        self.init(address, prefixLength: isMapped ? length - 96 : length)
    }

    public func contains(_ other: NetworkAddress) -> Bool {
        other.family == address.family
            && other.bits & Self.mask(address.family, prefixLength) == address.bits
    }

    private static func mask(_ family: NetworkAddress.Family, _ prefixLength: Int) -> UInt128 {
        let all = UInt128.max >> UInt128(128 - family.bitWidth)
        return all & ~(prefixLength == 0 ? all : all >> UInt128(prefixLength))
    }
}
