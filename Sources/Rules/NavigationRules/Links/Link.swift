/// A deep link as a client writes it.
public enum Link: Sendable, Equatable {
    /// A path with percent-encoding, such as `/authors/jane?sort=title`. The slash at the start can
    /// be absent.
    case path(String)
    /// A whole URL, such as `https://example.com/authors/jane`.
    case url(String)

    /// Creates a link from a URI reference (RFC 3986, section 4.1). A text that starts with a
    /// scheme, such as `https:` or `shop:`, is a URL. Any other text is a path.
    public init(reference text: String) {
        self = Self.scheme(of: text) == nil ? .path(text) : .url(text)
    }

    /// The link as the client wrote it.
    public var text: String {
        switch self {
        case .path(let text), .url(let text): text
        }
    }

    /// The name of the member in which a client writes the link.
    public var member: String {
        switch self {
        case .path: "path"
        case .url: "url"
        }
    }

    /// Checks what does not depend on the app.
    /// - Throws: the reason why no app can open the link.
    public func check() throws(LinkError) {
        // Programs written in C would cut the link at a NUL, and thus open another one.
        guard !text.utf8.contains(0), !text.utf8.contains("%00".utf8) else { throw .nul }
        if case .url(let text) = self, Self.scheme(of: text) == nil { throw .noScheme }
    }

    /// Returns the part of the link that an app compares with its patterns: the path with the
    /// query, still with percent-encoding. For a scheme of the app's own, this is everything after
    /// the scheme; for http and https, everything after the host.
    /// - Returns: nil if the link belongs to another app.
    func local(to settings: LinkSettings) -> Substring? {
        switch self {
        case .path(let text): return text[...]
        case .url(let text):
            guard let scheme = Self.scheme(of: text) else { return nil }
            let rest = text.utf8.dropFirst(scheme.utf8.count + 1)
            let name = scheme.lowercased()
            if settings.schemes.contains(name) { return Substring(rest) }
            guard name == "http" || name == "https", rest.starts(with: "//".utf8) else {
                return nil
            }
            let authority = rest.dropFirst(2).prefix { !"/?#".utf8.contains($0) }
            guard settings.accepts(authority: Substring(authority), scheme: name) else {
                return nil
            }
            return text[authority.endIndex...]
        }
    }

    /// Returns the scheme of a URL (RFC 3986, section 3.1), without the colon after it.
    /// - Returns: nil if the text does not start with a scheme.
    private static func scheme(of text: String) -> Substring? {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let scheme = text[..<colon]
        return LinkSettings.isScheme(scheme) ? scheme : nil
    }
}

/// The reason why a text is not a link.
public enum LinkError: Error, Sendable, Equatable, CustomStringConvertible {
    case nul, noScheme
    /// A percent sign without two hexadecimal digits, or bytes that are not UTF-8.
    case badEscape
    /// The link has too many characters, counted as Unicode scalars.
    case tooLong(Int, maximum: Int)
    /// The value that the link gives to a parameter has too many characters.
    case valueTooLong(parameter: String, Int, maximum: Int)

    public var description: String {
        switch self {
        case .nul: "the link contains a NUL"
        case .noScheme: "expected a URL with a scheme; write a path as `path`"
        case .badEscape: "the link is not percent-encoded UTF-8"
        case .tooLong(let count, let maximum):
            "expected at most \(maximum) characters, found \(count)"
        case .valueTooLong(let name, let count, let maximum):
            "expected at most \(maximum) characters in the parameter \(name), found \(count)"
        }
    }
}
