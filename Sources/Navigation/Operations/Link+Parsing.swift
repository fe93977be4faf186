import JSON

extension Link {
    /// Parses a link.
    /// - Parameter path: an absolute path with percent-encoding (RFC 3986, section 3.3).
    /// - Throws: the reason why the text is no such path.
    public init(_ path: String) throws(LinkError) {
        guard path.utf8.first == UInt8(ascii: "/") else { throw .notAbsolute }
        guard !path.utf8.contains(UInt8(ascii: "#")) else { throw .fragment }
        guard !path.utf8.contains(UInt8(ascii: "?")) else { throw .query }
        var segments: [String] = []
        for part in path.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            guard let segment = Self.decoded(part) else { throw .badEscape(String(part)) }
            segments.append(segment)
        }
        self.init(path: path, segments: segments)
    }

    /// Reads a link from a member of a body. A text that is no link is a recorded refusal.
    /// - Returns: nil if the member is absent or not a string.
    public static func read(_ reader: inout BodyReader, _ name: String) -> Link? {
        reader.optionalString(name).map { path in
            do throws(LinkError) { return try Link(path) } catch {
                reader.refuse(
                    NavigationError.Code.malformedLink.rawValue, "\(path): \(error)", member: name)
                return Link(path: path, segments: [])
            }
        }
    }

    /// Decodes percent-encoding.
    /// - Returns: nil if a `%` comes without two hexadecimal digits after it, or if the decoded
    ///   bytes contain NUL or are not valid UTF-8.
    private static func decoded(_ part: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = part.utf8
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap({ hexadecimalDigit($0) }),
                let low = rest.popFirst().flatMap({ hexadecimalDigit($0) })
            else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes.contains(0) ? nil : String(validating: bytes, as: UTF8.self)
    }

    private static func hexadecimalDigit(_ byte: UInt8) -> UInt8? {
        Character(Unicode.Scalar(byte)).hexDigitValue.map { UInt8($0) }
    }
}

/// The reason why a text is not a link.
public enum LinkError: Error, Sendable, Equatable, CustomStringConvertible {
    case notAbsolute, fragment, query
    case badEscape(String)

    public var description: String {
        switch self {
        case .notAbsolute: "expected a path that starts with /"
        case .fragment: "expected no fragment (#)"
        case .query: "expected a path without a query"
        case .badEscape(let part): "\(part) is not percent-encoded UTF-8"
        }
    }
}
