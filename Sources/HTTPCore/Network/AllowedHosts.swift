/// The hosts that requests may name in their `Host` field.
///
/// A web page whose name is made to point to this machine (DNS rebinding) is of the same origin as the
/// service, so that the browser lets it read the answers. Its requests still name the page's host. Such
/// a page has a name in a public domain: addresses, names without a dot, and the names under
/// `.localhost` cannot be registered there, and are always allowed.
public struct AllowedHosts: Sendable, Equatable {
    /// In lower case.
    private let names: Set<String>

    /// - Parameter names: the other names that are allowed, without a port, in any case.
    public init(_ names: [String] = []) {
        self.names = Set(names.map(Self.normalized))
    }

    /// Returns whether `name` can be one of the names: a host without a port.
    public static func isName(_ name: String) -> Bool {
        var name = name
        return !name.isEmpty
            && name.withUTF8 { bytes in
                let field = HostField(UnsafeRawBufferPointer(bytes))
                return field?.host.count == bytes.count
            }
    }

    /// Returns what is wrong with the `Host` of a request; nil if its host is allowed, or if it has none.
    /// - Parameter headers: sound, as `Framing` says.
    public func problem(_ headers: HeaderFields) -> Problem? {
        var refused: String?
        headers.withOnly("Host") { value in
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

    /// Returns whether requests to `host` are answered.
    /// - Parameter host: as `HostField` has it.
    func admits(_ host: some Sequence<UInt8>) -> Bool {
        let name = Self.normalized(String(decoding: Array(host), as: UTF8.self))
        return !name.contains(".") || name.hasSuffix(".localhost") || NetworkAddress(name) != nil
            || names.contains(name)
    }

    /// `example.com.` is the same name as `Example.com`.
    private static func normalized(_ name: String) -> String {
        let name = name.lowercased()
        return name.hasSuffix(".") ? String(name.dropLast()) : name
    }
}
