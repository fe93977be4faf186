/// The pattern for the paths of deep links to a scene. In `/authors/{author}/books/{book}`, each
/// name in braces is a parameter.
public struct PathPattern: Sendable, Equatable, CustomStringConvertible {
    enum Segment: Sendable, Hashable {
        case literal(String)
        case parameter(String)
    }

    let segments: [Segment]
    public let description: String

    /// Parses a pattern.
    /// - Throws: the reason why `source` is not a valid pattern.
    public init(_ source: String) throws(PathPatternError) {
        guard source.hasPrefix("/") else { throw .notAbsolute }
        description = source
        var segments: [Segment] = []
        for part in source.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            if part.hasPrefix("{"), part.hasSuffix("}") {
                let name = String(part.dropFirst().dropLast())
                guard !name.isEmpty, !name.contains(where: { $0 == "{" || $0 == "}" }) else {
                    throw .badPlaceholder(String(part))
                }
                guard !segments.contains(.parameter(name)) else { throw .repeated(name) }
                segments.append(.parameter(name))
            } else {
                // The path `/` has one segment, which is empty.
                guard !part.isEmpty || source == "/" else { throw .emptySegment }
                guard !part.contains(where: { $0 == "{" || $0 == "}" }) else {
                    throw .badPlaceholder(String(part))
                }
                guard !part.contains("%") else { throw .escaped(String(part)) }
                segments.append(.literal(String(part)))
            }
        }
        self.segments = segments
    }

    /// The names of the parameters in the pattern, from left to right.
    var parameters: [String] {
        segments.compactMap { if case .parameter(let name) = $0 { name } else { nil } }
    }

    /// The segments of the pattern, with nil in place of each parameter. Two patterns with equal
    /// shapes match the same paths.
    var shape: [String?] {
        segments.map { if case .literal(let text) = $0 { text } else { nil } }
    }

    /// Matches a path against the pattern.
    /// - Parameter path: the segments of the path, without percent-encoding.
    /// - Returns: the values of the parameters, by name; nil if the path does not match.
    func match(_ path: [String]) -> [String: String]? {
        guard path.count == segments.count else { return nil }
        var values: [String: String] = [:]
        for (segment, part) in zip(segments, path) {
            switch segment {
            case .literal(let text): guard text == part else { return nil }
            case .parameter(let name):
                guard !part.isEmpty else { return nil }
                values[name] = part
            }
        }
        return values
    }

    /// Returns whether a link is compared with this pattern before it is compared with `other`. A
    /// pattern with fewer segments comes first. If both have the same number of segments, the
    /// leftmost place where one has a literal and the other has a parameter decides. The pattern
    /// with the literal comes first: `/authors/new` comes before `/authors/{author}`.
    func precedes(_ other: PathPattern) -> Bool {
        guard segments.count == other.segments.count else {
            return segments.count < other.segments.count
        }
        for (mine, theirs) in zip(segments, other.segments) {
            switch (mine, theirs) {
            case (.literal, .parameter): return true
            case (.parameter, .literal): return false
            default: continue
            }
        }
        return false
    }
}

/// The reason why a text is not a valid path pattern.
public enum PathPatternError: Error, Equatable, Sendable, CustomStringConvertible {
    case notAbsolute
    case emptySegment
    case badPlaceholder(String)
    case repeated(String)
    case escaped(String)

    public var description: String {
        switch self {
        case .notAbsolute: "expected a path that starts with /"
        case .emptySegment: "expected no empty segment in the path"
        case .badPlaceholder(let part): "expected a segment or one {parameter}, found \(part)"
        case .escaped(let part): "write \(part) without percent-encoding"
        case .repeated(let name): "the parameter {\(name)} occurs twice in the path"
        }
    }
}
