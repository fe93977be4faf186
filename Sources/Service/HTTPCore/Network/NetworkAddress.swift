import Glibc

/// An IPv4 or IPv6 address. An IPv4-mapped IPv6 address (`::ffff:192.0.2.1`), which dual-stack
/// sockets report for IPv4 clients, equals the IPv4 address.
public struct NetworkAddress: Sendable, Hashable {
    // The IPv6 address, mapped for IPv4, is stored in two words and not in a `UInt128`: a closure
    // that captures a `UInt128` needs memory with an alignment of 16 bytes, which takes four times
    // as long to allocate.
    private let high: UInt64
    private let low: UInt64

    /// The IPv6 address as a number. An IPv4 address is mapped.
    var bits: UInt128 { UInt128(high) << 64 | UInt128(low) }

    public var isIPv4: Bool { high == 0 && low >> 32 == 0xFFFF }

    /// The address under which a client is counted: an IPv4 address itself, and the first address
    /// of the /64 network of an IPv6 address. One client usually has all addresses of such a
    /// network.
    public var client: NetworkAddress {
        isIPv4 ? self : NetworkAddress(bits: UInt128(high) << 64)
    }

    init(bits: UInt128) {
        (high, low) = (UInt64(bits >> 64), UInt64(truncatingIfNeeded: bits))
    }

    private init(_ address: in_addr) {
        (high, low) = (0, 0xFFFF_0000_0000 | UInt64(UInt32(bigEndian: address.s_addr)))
    }

    private init(_ address: in6_addr) {
        self.init(
            bits: withUnsafeBytes(of: address) {
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
        case AF_INET: self.init(raw.loadUnaligned(as: sockaddr_in.self).sin_addr)
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
            self.init(v4)
        } else if inet_pton(AF_INET6, text, &v6) == 1 {
            self.init(v6)
        } else {
            return nil
        }
    }

    private static func isPortOrNothing(_ text: Substring) -> Bool {
        guard !text.isEmpty else { return true }
        let digits = text.dropFirst()
        return text.first == ":" && digits.utf8.allSatisfy(\.isDigit) && UInt16(digits) != nil
    }
}

extension NetworkAddress: CustomStringConvertible {
    /// The address as text: dotted decimal for IPv4, and the notation of RFC 5952 for IPv6.
    public var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        withUnsafeBytes(of: bits.bigEndian) { bytes in
            // An IPv4 address is the last four bytes of the mapped one.
            let bytes = isIPv4 ? bytes[12...] : bytes[...]
            inet_ntop(
                isIPv4 ? AF_INET : AF_INET6, UnsafeRawBufferPointer(rebasing: bytes).baseAddress,
                &text, socklen_t(text.count))
        }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
