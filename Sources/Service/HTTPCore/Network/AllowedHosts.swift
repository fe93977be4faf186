/// The hosts that requests may name, in their `Host` field or in a target in absolute form.
///
/// This check prevents DNS rebinding. In this attack, the host name of a malicious web page
/// resolves to the address of this machine. The browser then treats the service as a part of the
/// page's own site, and lets the page read responses. The requests of the page still name the
/// attacker's host, which the check refuses. IP addresses, names without a dot, and names under
/// `.localhost` are always allowed, because an attacker cannot register any of them.
public struct AllowedHosts: Sendable, Equatable {
    /// The names in lower case, without a dot at the end.
    private let names: [[UInt8]]

    /// - Parameter names: the names to allow in addition to those that are always allowed, without
    ///   a port, in upper or lower case.
    public init(_ names: [String] = []) {
        self.names = names.map { name in
            let name = Array(name.lowercased().utf8)
            return name.last == UInt8(ascii: ".") ? name.dropLast() : name
        }
    }

    /// Returns whether `name` is a valid host without a port.
    public static func isName(_ name: String) -> Bool {
        var name = name
        return !name.isEmpty
            && name.withUTF8 { bytes in
                HostField(UnsafeRawBufferPointer(bytes))?.host.count == bytes.count
            }
    }

    /// Checks the host of a request: that of the target, or else of the `Host` field.
    /// - Parameters:
    ///   - target: the target as it was sent.
    ///   - headers: the fields of a request that `Framing` has accepted.
    /// - Returns: the problem to respond with; nil if the host is allowed or absent.
    public func problem(target: String, _ headers: HeaderFields) -> Problem? {
        if let authority = RequestTarget.authority(of: target) {
            return Array(authority.utf8).withUnsafeBytes { refusal(of: $0) }
        }
        var problem: Problem?
        headers.withSingleValue("Host") { problem = refusal(of: $0) }
        return problem
    }

    /// Returns the problem for a host with an optional port; nil if the host is allowed.
    private func refusal(of value: UnsafeRawBufferPointer) -> Problem? {
        guard let host = HostField(value)?.host, !admits(host) else { return nil }
        let name = String(decoding: host, as: UTF8.self)
        return Problem(
            .misdirectedRequest,
            "the host \(name) is not allowed; the operator can allow it with --allowed-host \(name)",
            headers: ["Connection": "close"])
    }

    private func admits(_ host: UnsafeRawBufferPointer) -> Bool {
        // `example.com.` is the same name as `example.com`.
        let dot = UInt8(ascii: ".")
        let name = UnsafeRawBufferPointer(rebasing: host.last == dot ? host.dropLast() : host[...])
        guard name.first != UInt8(ascii: "["), name.contains(dot) else { return true }
        // A host of digits and dots is an IPv4 address, because no top-level domain is a number.
        if name.allSatisfy({ $0 == dot || $0.isDigit }) { return true }
        let suffix = name.suffix(Self.localhost.count)
        return equal(UnsafeRawBufferPointer(rebasing: suffix), Self.localhost)
            || names.contains { equal(name, $0) }
    }

    private func equal(_ name: UnsafeRawBufferPointer, _ other: [UInt8]) -> Bool {
        other.withUnsafeBytes { isSame(name, $0) }
    }

    private static let localhost = Array(".localhost".utf8)
}
