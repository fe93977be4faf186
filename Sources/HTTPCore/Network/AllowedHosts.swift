/// The hosts that requests may name in their `Host` field.
///
/// A web page whose name is made to point to this machine (DNS rebinding) is of the same origin as the
/// service, so that the browser lets it read the answers. Its requests still name the page's host. Such
/// a page has a name in a public domain: addresses, names without a dot, and the names under
/// `.localhost` cannot be registered there, and are always allowed.
public struct AllowedHosts: Sendable, Equatable {
    /// In lower case, as ASCII.
    private let names: [[UInt8]]

    /// - Parameter names: the other names that are allowed, without a port, in any case.
    public init(_ names: [String] = []) {
        self.names = names.map { name in
            let name = Array(name.lowercased().utf8)
            return name.last == UInt8(ascii: ".") ? name.dropLast() : name
        }
    }

    /// Returns whether `name` can be one of the names: a host without a port.
    public static func isName(_ name: String) -> Bool {
        var name = name
        return !name.isEmpty
            && name.withUTF8 { bytes in
                HostField(UnsafeRawBufferPointer(bytes))?.host.count == bytes.count
            }
    }

    /// Returns what is wrong with the `Host` of a request; nil if its host is allowed, or if it has none.
    /// - Parameter headers: sound, as `Framing` says.
    public func problem(_ headers: HeaderFields) -> Problem? {
        var refused: String?
        headers.withSingleValue("Host") { value in
            guard let host = HostField(value)?.host, !admits(host) else { return }
            refused = String(decoding: host, as: UTF8.self)
        }
        return refused.map {
            Problem(
                .misdirectedRequest,
                "the service does not answer for the host \($0); its operator allows it with"
                    + " --allowed-host \($0)",
                headers: ["Connection": "close"])
        }
    }

    /// - Parameter host: as `HostField` has it.
    private func admits(_ host: UnsafeRawBufferPointer) -> Bool {
        // `example.com.` is the same name as `example.com`.
        let dot = UInt8(ascii: ".")
        let name = UnsafeRawBufferPointer(rebasing: host.last == dot ? host.dropLast() : host[...])
        guard name.first != UInt8(ascii: "["), name.contains(dot) else { return true }
        // An IPv4 address: no domain has digits alone.
        if name.allSatisfy({ $0 == dot || $0 &- UInt8(ascii: "0") < 10 }) { return true }
        let suffix = name.suffix(Self.localhost.count)
        return isSame(UnsafeRawBufferPointer(rebasing: suffix), Self.localhost)
            || names.contains { isSame(name, $0) }
    }

    private static let localhost = Array(".localhost".utf8)
}

/// - Parameter other: in lower case.
private func isSame(_ name: UnsafeRawBufferPointer, _ other: [UInt8]) -> Bool {
    name.count == other.count
        && name.indices.allSatisfy { index in
            let byte = name[index]
            return (byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte) == other[index]
        }
}
