import Glibc

/// An IPv4 or IPv6 address. An IPv4-mapped IPv6 address (`::ffff:192.0.2.1`), which dual-stack
/// sockets report for IPv4 clients, equals the IPv4 address.
public struct NetworkAddress: Sendable, Hashable {
    public enum Family: Sendable {
        case v4, v6

        /// The number of bits in an address of this family.
        public var bitWidth: Int { self == .v4 ? 32 : 128 }
    }

    public let family: Family
    // The address is stored in two words and not in a `UInt128`: a closure that captures a
    // `UInt128` needs memory with an alignment of 16 bytes, which takes four times as long to
    // allocate.
    private let high: UInt64
    private let low: UInt64

    /// The address as a number; only the lowest `family.bitWidth` bits are used.
    var bits: UInt128 { UInt128(high) << 64 | UInt128(low) }

    /// Creates an IPv4 address.
    /// - Parameter bits: the address as a number, such as 0xC0000201 for 192.0.2.1.
    public init(v4 bits: UInt32) {
        family = .v4
        (high, low) = (0, UInt64(bits))
    }

    /// Creates an IPv6 address, or an IPv4 address if `bits` is an IPv4-mapped address.
    public init(v6 bits: UInt128) {
        let isMapped = bits >> 32 == 0xFFFF
        family = isMapped ? .v4 : .v6
        let bits = isMapped ? bits & 0xFFFF_FFFF : bits
        (high, low) = (UInt64(bits >> 64), UInt64(truncatingIfNeeded: bits))
    }

    private init(_ address: in6_addr) {
        self.init(
            v6: withUnsafeBytes(of: address) {
                UInt128(bigEndian: $0.loadUnaligned(as: UInt128.self))
            })
    }

    /// Creates an address from a socket address of the system.
    /// - Parameter address: points to a `sockaddr_in`, a `sockaddr_in6` or another structure,
    ///   according to its `sa_family`.
    /// - Returns: nil if the family is neither IPv4 nor IPv6, as for a Unix domain socket.
    public init?(_ address: UnsafePointer<sockaddr>) {
        let raw = UnsafeRawPointer(address)
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            self.init(
                v4: UInt32(bigEndian: raw.loadUnaligned(as: sockaddr_in.self).sin_addr.s_addr))
        case AF_INET6: self.init(raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr)
        default: return nil
        }
    }

    /// Parses an address.
    /// - Parameter text: an address with or without a port, as in `X-Forwarded-For`:
    ///   `192.0.2.1:80`, `[2001:db8::1]:80`, `[2001:db8::1]`. The port is ignored.
    /// - Returns: nil if `text` is not an address.
    public init?(_ text: some StringProtocol) {
        var address = Substring(text)
        if address.hasPrefix("[") {
            guard let end = address.firstIndex(of: "]"),
                Self.isPortOrNothing(address[address.index(after: end)...])
            else { return nil }
            address = address[..<end].dropFirst()
            guard address.contains(":") else { return nil }
        } else if let colon = address.firstIndex(of: ":"), address[..<colon].contains(".") {
            guard Self.isPortOrNothing(address[colon...]) else { return nil }
            address = address[..<colon]
        }
        self.init(withoutPort: String(address))
    }

    init?(withoutPort text: String) {
        // C functions would treat a NUL as the end of the text.
        guard !text.utf8.contains(0) else { return nil }
        var v4 = in_addr()
        var v6 = in6_addr()
        if inet_pton(AF_INET, text, &v4) == 1 {
            self.init(v4: UInt32(bigEndian: v4.s_addr))
        } else if inet_pton(AF_INET6, text, &v6) == 1 {
            self.init(v6)
        } else {
            return nil
        }
    }

    private static func isPortOrNothing(_ text: Substring) -> Bool {
        guard !text.isEmpty else { return true }
        let digits = text.dropFirst()
        return text.first == ":" && digits.utf8.allSatisfy { (0x30...0x39).contains($0) }
            && UInt16(digits) != nil
    }
}

extension NetworkAddress: CustomStringConvertible {
    /// The address as text: dotted decimal for IPv4, and the notation of RFC 5952 for IPv6.
    public var description: String {
        // 46 is INET6_ADDRSTRLEN.
        var text = [CChar](repeating: 0, count: 46)
        switch family {
        case .v4:
            var address = in_addr(s_addr: UInt32(truncatingIfNeeded: bits).bigEndian)
            inet_ntop(AF_INET, &address, &text, socklen_t(text.count))
        case .v6:
            var address = bits.bigEndian
            inet_ntop(AF_INET6, &address, &text, socklen_t(text.count))
        }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
