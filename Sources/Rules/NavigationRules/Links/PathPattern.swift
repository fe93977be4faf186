import JSON

/// The pattern for the paths of deep links to a scene. In `/authors/{author}/books/{book}`, each
/// name in braces is a parameter. The last parameters can be optional, as in `/search/{word?}`, and
/// the last one can take the rest of the path, as in `/files/{file+}`.
public struct PathPattern: Sendable, Equatable, CustomStringConvertible {
    /// The number of segments of a path that a parameter takes. The raw value is the rank of the
    /// parameter among the segments of a pattern: a pattern with a lower rank is more specific.
    enum Count: Int, Sendable, Hashable {
        case one = 1
        case oneOrNone = 3
        case oneOrMore = 4
        case any = 5

        /// Whether the parameter can take the rest of the path.
        var isRest: Bool { self == .oneOrMore || self == .any }
        var canBeAbsent: Bool { self == .oneOrNone || self == .any }
    }

    enum Segment: Sendable, Hashable {
        case literal(String)
        case parameter(String, Count)
    }

    /// The maximum number of segments. It bounds the depth of the recursion that finds the pattern
    /// of a link.
    static let maximumSegments = 100

    let segments: [Segment]
    /// The names of the parameters in the pattern, from left to right.
    let parameters: [String]
    public let description: String
    /// The parts of a link in the form of this pattern that do not depend on the parameters.
    private let written: [[UInt8]]

    /// Parses a pattern.
    /// - Throws: the reason why `source` is not a valid pattern.
    public init(_ source: String) throws(PathPatternError) {
        guard source.hasPrefix("/") else { throw .notAbsolute }
        description = source
        var segments: [Segment] = []
        var parameters: [String] = []
        let parts =
            source == "/"
            ? [] : source.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= Self.maximumSegments else {
            throw .tooLong(parts.count, maximum: Self.maximumSegments)
        }
        for part in parts {
            let segment = try Self.segment(part)
            // After an absent segment, only absent segments can follow.
            switch (segments.last, segment) {
            case (.parameter(_, let last)?, .parameter(_, let count))
            where last == .oneOrNone && count.canBeAbsent:
                break
            case (.parameter(_, let last)?, _) where last != .one: throw .notLast("\(part)")
            default: break
            }
            if case .parameter(let name, _) = segment {
                guard !parameters.contains(name) else { throw .repeated(name) }
                parameters.append(name)
            }
            segments.append(segment)
        }
        self.segments = segments
        self.parameters = parameters
        written = Self.written(segments, isConstant: parameters.isEmpty)
    }

    private static func segment(_ part: Substring) throws(PathPatternError) -> Segment {
        if part.hasPrefix("{"), part.hasSuffix("}") {
            let inside = part.dropFirst().dropLast()
            let count: Count =
                switch inside.last {
                case "?": .oneOrNone
                case "+": .oneOrMore
                case "*": .any
                default: .one
                }
            let name = String(count == .one ? inside : inside.dropLast())
            guard !name.isEmpty, !name.contains(where: { $0 == "{" || $0 == "}" }) else {
                throw .badPlaceholder(String(part))
            }
            return .parameter(name, count)
        }
        guard !part.isEmpty, part != ".", part != ".." else { throw .emptySegment }
        guard !part.contains(where: { $0 == "{" || $0 == "}" }) else {
            throw .badPlaceholder(String(part))
        }
        guard !part.contains("%") else { throw .escaped(String(part)) }
        return .literal(String(part))
    }

    /// The names of the parameters that can be absent from the path.
    var optionalParameters: [String] {
        segments.compactMap {
            if case .parameter(let name, let count) = $0, count.canBeAbsent { name } else { nil }
        }
    }

    /// Matches a path against the pattern.
    /// - Parameter path: the segments of the path, without percent-encoding. None is empty.
    /// - Returns: the values of the parameters, by name, without those of absent parameters; nil if
    ///   the path does not match.
    func match(_ path: [String]) -> [String: String]? {
        var rest = path[...]
        var values: [String: String] = [:]
        for segment in segments {
            switch segment {
            case .literal(let text): guard rest.popFirst() == text else { return nil }
            case .parameter(let name, let count):
                if rest.isEmpty {
                    guard count.canBeAbsent else { return nil }
                } else if count.isRest {
                    values[name] = rest.joined(separator: "/")
                    rest = []
                } else {
                    values[name] = rest.popFirst()
                }
            }
        }
        return rest.isEmpty ? values : nil
    }

    /// Writes the path that has these values.
    /// - Returns: nil if no path gives the values. A segment of a path cannot be empty, `.` or
    ///   `..`, and a link cannot have a NUL.
    func path(_ parameters: Parameters) -> [UInt8]? {
        guard !self.parameters.isEmpty else { return written[0] }
        var path: [UInt8] = []
        path.reserveCapacity(128)
        var isAtEnd = false
        for (index, segment) in segments.enumerated() {
            guard case .parameter(let name, let count) = segment else {
                path.append(contentsOf: written[index])
                continue
            }
            guard let value = parameters[name] else {
                guard count.canBeAbsent else { return nil }
                isAtEnd = true
                continue
            }
            guard !isAtEnd else { return nil }
            guard count.isRest else {
                guard Self.append(value, to: &path) else { return nil }
                continue
            }
            for part in value.split(separator: "/", omittingEmptySubsequences: false) {
                guard Self.append(String(part), to: &path) else { return nil }
            }
        }
        return path.isEmpty ? [UInt8(ascii: "/")] : path
    }

    private static func append(_ value: String, to path: inout [UInt8]) -> Bool {
        guard !value.isEmpty, value != ".", value != "..", !value.utf8.contains(0) else {
            return false
        }
        path.append(UInt8(ascii: "/"))
        PercentEncoding.append(value, to: &path, plain: .segment)
        return true
    }

    /// Returns the texts of the literal segments as a link has them, each with its slash. Those of
    /// the parameters are empty. A pattern without parameters has its whole path.
    private static func written(_ segments: [Segment], isConstant: Bool) -> [[UInt8]] {
        let written = segments.map { segment in
            var bytes: [UInt8] = []
            if case .literal(let text) = segment {
                bytes.append(UInt8(ascii: "/"))
                PercentEncoding.append(text, to: &bytes, plain: .segment)
            }
            return bytes
        }
        guard isConstant else { return written }
        return [segments.isEmpty ? [UInt8(ascii: "/")] : Array(written.joined())]
    }
}

// MARK: - Precedence

extension PathPattern.Segment {
    /// The rank of the end of a pattern.
    static let endRank = 2

    var rank: Int {
        switch self {
        case .literal: 0
        case .parameter(_, let count): count.rawValue
        }
    }
}

extension PathPattern {
    /// Compares the segments from the left. The first two that differ in rank decide: a literal
    /// comes before a parameter, then come the end of the pattern, an optional parameter, and the
    /// parameters that take the rest of the path.
    /// - Returns: a negative number if this pattern is more specific than `other`, a positive one
    ///   if it is less specific, and 0 if no link makes a difference.
    func compare(_ other: PathPattern) -> Int {
        for index in 0..<max(segments.count, other.segments.count) {
            let mine = index < segments.count ? segments[index].rank : Segment.endRank
            let theirs =
                index < other.segments.count ? other.segments[index].rank : Segment.endRank
            if mine != theirs { return mine - theirs }
        }
        return 0
    }

    /// The segments without the names of the parameters. Two patterns with equal shapes match the
    /// same paths.
    var shape: [Segment] {
        segments.map { segment in
            if case .parameter(_, let count) = segment { .parameter("", count) } else { segment }
        }
    }
}

/// The reason why a text is not a valid path pattern.
public enum PathPatternError: Error, Equatable, Sendable, CustomStringConvertible {
    case notAbsolute
    case emptySegment
    case badPlaceholder(String)
    case repeated(String)
    case escaped(String)
    case notLast(String)
    case tooLong(Int, maximum: Int)

    public var description: String {
        switch self {
        case .notAbsolute: "expected a path that starts with /"
        case .emptySegment: "expected no empty segment and no . or .. in the path"
        case .badPlaceholder(let part): "expected a segment or one {parameter}, found \(part)"
        case .escaped(let part): "write \(part) without percent-encoding"
        case .repeated(let name): "the parameter {\(name)} occurs twice in the path"
        case .notLast(let part):
            "found \(part) after a parameter that can be absent or takes the rest of the path: "
                + "write two patterns"
        case .tooLong(let count, let maximum):
            "expected at most \(maximum) segments, found \(count)"
        }
    }
}
