import JSON

/// The normal form of a link: the decoded segments of its path, and its query.
///
/// The parts follow RFC 3986. The fragment is cut; dot segments are removed (section 5.2.4), also
/// encoded ones; empty segments are removed. Each segment is decoded once.
struct LinkAddress: Sendable {
    let segments: [String]
    /// The names and values in the query, in order.
    let query: [(name: String, value: String)]

    /// Parses a link.
    /// - Parameter text: a path with a query and a fragment, each of which can be absent.
    /// - Returns: nil if a part has a percent sign without two hexadecimal digits after it, or is
    ///   not UTF-8.
    init?(_ text: Substring) {
        let whole = text.utf8.prefix { $0 != UInt8(ascii: "#") }
        let path = whole.prefix { $0 != UInt8(ascii: "?") }
        var segments: [String] = []
        for part in path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            guard let segment = PercentEncoding.decoded(part) else { return nil }
            switch segment {
            case ".": break
            case "..": _ = segments.popLast()
            default: segments.append(segment)
            }
        }
        self.segments = segments.filter { !$0.isEmpty }
        var query: [(String, String)] = []
        for part in whole.dropFirst(path.count + 1).split(separator: UInt8(ascii: "&")) {
            let name = part.prefix { $0 != UInt8(ascii: "=") }
            guard let decodedName = PercentEncoding.decoded(name),
                let value = PercentEncoding.decoded(part.dropFirst(name.count + 1))
            else { return nil }
            query.append((decodedName, value))
        }
        self.query = query
    }

    /// Returns the value of a query parameter; nil if the query does not have it. The first of
    /// several equal names counts.
    subscript(query name: String) -> String? { query.first { $0.name == name }?.value }

    /// Returns the address as text, with those query parameters that `names` lists.
    func text(query names: [String]) -> String {
        var text: [UInt8] = []
        for segment in segments {
            text.append(UInt8(ascii: "/"))
            PercentEncoding.append(segment, to: &text, plain: .segment)
        }
        if text.isEmpty { text.append(UInt8(ascii: "/")) }
        LinkWriting.append(names.lazy.map { ($0, self[query: $0]) }, to: &text)
        return String(decoding: text, as: UTF8.self)
    }
}

/// Writes the query of a link.
enum LinkWriting {
    /// Appends a query to a path. Leaves out the names without a value.
    static func append(_ query: some Sequence<(String, String?)>, to text: inout [UInt8]) {
        var separator = UInt8(ascii: "?")
        for case (let name, let value?) in query {
            text.append(separator)
            PercentEncoding.append(name, to: &text, plain: .query)
            text.append(UInt8(ascii: "="))
            PercentEncoding.append(value, to: &text, plain: .query)
            separator = UInt8(ascii: "&")
        }
    }
}
