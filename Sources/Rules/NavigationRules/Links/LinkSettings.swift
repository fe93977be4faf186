import JSON

/// The URLs that an app opens: the key `links` of a storyboard.
public struct LinkSettings: Sendable, Equatable {
    /// The hosts of the http and https URLs that belong to the app, in lower case. `*.example.com`
    /// stands for all hosts below `example.com`, and not for `example.com` itself.
    public let hosts: [String]
    /// The schemes of the app's own URLs, in lower case.
    public let schemes: [String]
    /// The name of the scene that shows links to which no scene belongs; nil if there is none.
    public let notFound: Scene.Name?

    public init(hosts: [String] = [], schemes: [String] = [], notFound: Scene.Name? = nil) {
        self.hosts = hosts.map { $0.lowercased() }
        self.schemes = schemes.map { $0.lowercased() }
        self.notFound = notFound
    }

    /// The name of the parameter in which the scene for unknown links receives the link.
    public static let notFoundParameter = "path"

    /// The list of the URLs that the app opens, for messages.
    public var summary: String {
        let all = hosts.map { "https://\($0)" } + schemes.map { "\($0):" }
        return all.isEmpty ? "no URLs: its storyboard has no `links`" : all.joined(separator: ", ")
    }

    /// Returns whether a URL belongs to the app.
    /// - Parameters:
    ///   - authority: the part of the URL between `//` and the path (RFC 3986, section 3.2). A user
    ///     or a port other than the default one makes the URL foreign, as for Apple's associated
    ///     domains.
    ///   - scheme: `http` or `https`.
    func accepts(authority: Substring, scheme: String) -> Bool {
        guard !authority.utf8.contains(UInt8(ascii: "@")) else { return false }
        let parts = authority.split(
            separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let host = PercentEncoding.decoded(first.utf8),
            Self.isHost(host)
        else { return false }
        if parts.count == 2, !parts[1].isEmpty, parts[1] != (scheme == "http" ? "80" : "443") {
            return false
        }
        return accepts(host: host.lowercased())
    }

    private func accepts(host: String) -> Bool {
        hosts.contains { pattern in
            guard pattern.hasPrefix("*.") else { return pattern == host }
            let domain = pattern.dropFirst()
            return host.hasSuffix(domain)
        }
    }

    /// Returns whether a text is the name of a host, such as `www.example.com`.
    static func isHost(_ text: some StringProtocol) -> Bool {
        text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
            !label.isEmpty
                && label.utf8.allSatisfy { isLetterOrDigit($0) || $0 == UInt8(ascii: "-") }
        }
    }

    /// Returns whether a text is a scheme (RFC 3986, section 3.1), such as `shop`.
    static func isScheme(_ text: some StringProtocol) -> Bool {
        guard let first = text.utf8.first, isLetter(first) else { return false }
        return text.utf8.allSatisfy { isLetterOrDigit($0) || "+-.".utf8.contains($0) }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        isLetter(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
