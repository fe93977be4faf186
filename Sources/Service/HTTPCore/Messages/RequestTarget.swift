import JSON

/// The target of a request (RFC 9112, section 3.2). The path is split into segments before the
/// segments are decoded, so that an escaped `/` does not end a segment.
public struct RequestTarget: Sendable {
    /// A decoded parameter of the query.
    public struct QueryItem: Sendable, Equatable {
        public let name: String
        public let value: String
    }

    /// The undecoded path.
    public let path: String
    public let query: [QueryItem]
    /// The decoded segments of the path if the path has an escape such as `%20`. Nil for a path
    /// without escapes, which is the usual case; `segments` then splits the path at each access.
    let decodedSegments: [String]?

    /// Parses a request target.
    /// - Parameter raw: the target in origin form, such as `/v1/catalog/authors?limit=5`; in
    ///   absolute form, such as `http://host/v1/catalog/authors`; or `*`.
    /// - Throws: `.malformedRequest` if the target is invalid.
    public init(_ raw: String) throws(Problem) {
        var raw = raw
        if raw.utf8.first != UInt8(ascii: "/") {
            guard raw != "*" else {
                path = raw
                query = []
                decodedSegments = []
                return
            }
            raw = try Self.originForm(of: raw)
        }
        let scan = raw.withUTF8(Scan.init)
        guard !scan.hasFragment else { throw Self.problem("expected no fragment (#)") }
        let mark = raw.utf8.index(raw.startIndex, offsetBy: scan.pathLength)
        path = mark == raw.endIndex ? raw : String(raw[..<mark])
        decodedSegments = scan.hasEscape ? try Self.segments(of: path) : nil
        query = mark == raw.endIndex ? [] : try Self.items(of: raw[raw.utf8.index(after: mark)...])
    }

    /// The decoded segments of the path; empty for the target `*`.
    public var segments: [String] {
        decodedSegments ?? (try? Self.segments(of: path)) ?? []
    }

    private struct Scan {
        /// The length of the path in bytes, without the query.
        var pathLength: Int
        var hasFragment = false
        /// Whether the path contains `%` or NUL and must be decoded and checked.
        var hasEscape = false

        /// Returns whether a byte is NUL, `#`, `%` or `?`.
        private static func isSpecial(_ byte: UInt8) -> Bool {
            let bits: UInt64 = 0x8000_0028_0000_0001
            return byte < 64 && bits >> UInt64(byte) & 1 == 1
        }

        init(_ raw: UnsafeBufferPointer<UInt8>) {
            pathLength = raw.count
            // Most targets have no such byte.
            let mayHaveSpecial = anyWord(of: UnsafeRawBufferPointer(raw)) { word in
                zeros(word) | zeros(word ^ everyByte(UInt8(ascii: "#")))
                    | zeros(word ^ everyByte(UInt8(ascii: "%")))
                    | zeros(word ^ everyByte(UInt8(ascii: "?")))
            }
            guard mayHaveSpecial else { return }
            for (index, byte) in raw.enumerated() where Self.isSpecial(byte) {
                if byte == UInt8(ascii: "#") { hasFragment = true }
                guard pathLength == raw.count else { continue }
                if byte == UInt8(ascii: "?") { pathLength = index }
                if byte == UInt8(ascii: "%") || byte == 0 { hasEscape = true }
            }
        }
    }

    /// Converts a target in absolute form to origin form.
    /// - Throws: a problem if the target is not in absolute form with the scheme `http`, or if it
    ///   names no host, or one with a user (RFC 9110, section 4.2).
    private static func originForm(of raw: String) throws(Problem) -> String {
        guard let authority = authority(of: raw) else {
            throw problem("expected a path that starts with /")
        }
        let hasHost = Array(authority.utf8).withUnsafeBytes { bytes in
            HostField(bytes)?.host.isEmpty == false
        }
        guard hasHost else { throw problem("\(authority) is not a host with an optional port") }
        let rest = String(raw[authority.endIndex...])
        return rest.utf8.first == UInt8(ascii: "/") ? rest : "/" + rest
    }

    /// Returns the host and the port that a target in absolute form names in place of the `Host`
    /// field (RFC 9112, section 3.2.2); nil for any other target.
    static func authority(of raw: String) -> Substring? {
        guard raw.utf8.first != UInt8(ascii: "/"), raw.prefix(7).lowercased() == "http://" else {
            return nil
        }
        return Substring(raw.utf8.dropFirst(7).prefix { !"/?#".utf8.contains($0) })
    }

    private static func segments(of path: String) throws(Problem) -> [String] {
        let parts = path.utf8.dropFirst().split(
            separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return try parts.map { part throws(Problem) in
            guard let segment = PercentEncoding.decoded(part) else { throw badEscape(part) }
            return segment
        }
    }

    private static func items(of query: Substring) throws(Problem) -> [QueryItem] {
        let parts = query.utf8.split(separator: UInt8(ascii: "&"))
        return try parts.map { part throws(Problem) in
            let name = part.prefix { $0 != UInt8(ascii: "=") }
            guard let decodedName = PercentEncoding.decoded(name),
                let value = PercentEncoding.decoded(part.dropFirst(name.count + 1))
            else { throw badEscape(part) }
            return QueryItem(name: decodedName, value: value)
        }
    }

    private static func badEscape(_ part: Substring.UTF8View) -> Problem {
        problem("\(Substring(part)) is not percent-encoded UTF-8")
    }

    private static func problem(_ defect: String) -> Problem {
        Problem(.malformedRequest, "the request target: \(defect)")
    }
}
