/// A text with placeholders, such as `{count} books by {author}`. `{count}` stands for the number
/// of rows that the scene shows; any other placeholder stands for a parameter.
public struct TextTemplate: Sendable, Equatable {
    enum Piece: Sendable, Equatable {
        case text(String)
        case parameter(String)
        case count
    }

    /// The text as the storyboard contains it, with its placeholders.
    public let source: String
    let pieces: [Piece]

    /// Parses a template.
    /// - Throws: `.unbalancedBrace` for a `{` without `}` or a `}` without `{`; `.emptyPlaceholder`
    ///   for `{}`.
    public init(_ source: String) throws(TemplateError) {
        self.source = source
        var pieces: [Piece] = []
        var rest = Substring(source)
        while let brace = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
            guard rest[brace] == "{" else { throw .unbalancedBrace }
            if brace > rest.startIndex { pieces.append(.text(String(rest[..<brace]))) }
            rest = rest[rest.index(after: brace)...]
            guard let end = rest.firstIndex(where: { $0 == "{" || $0 == "}" }), rest[end] == "}"
            else { throw .unbalancedBrace }
            guard end > rest.startIndex else { throw .emptyPlaceholder }
            let name = String(rest[..<end])
            pieces.append(name == "count" ? .count : .parameter(name))
            rest = rest[rest.index(after: end)...]
        }
        if !rest.isEmpty { pieces.append(.text(String(rest))) }
        self.pieces = pieces
    }

    /// The names of the parameters for which the placeholders stand.
    var parameters: [String] {
        pieces.compactMap { if case .parameter(let name) = $0 { name } else { nil } }
    }

    /// Whether the text depends on the parameters.
    var hasPlaceholders: Bool { showsCount || !parameters.isEmpty }

    var showsCount: Bool { pieces.contains(.count) }

    /// Returns whether the text is nothing but the placeholder of a parameter without a value.
    func isAbsent(_ parameters: Parameters) -> Bool {
        if pieces.count == 1, case .parameter(let name) = pieces[0] {
            parameters[name] == nil
        } else {
            false
        }
    }

    /// Returns the text with each placeholder replaced by the value of its parameter. Segues use
    /// this method to compute the parameters that they pass on. `{count}` is not replaced.
    func values(_ parameters: Parameters) -> String {
        pieces.reduce(into: "") { text, piece in
            switch piece {
            case .text(let literal): text += literal
            case .parameter(let name): text += parameters[name] ?? ""
            case .count: text += "{count}"
            }
        }
    }

    /// Returns the text that a view controller of `scene` shows. The placeholder of a parameter is
    /// replaced by the *display name* of its value (the author's name, not the id) or, if the data
    /// source has no display name, by the value itself. `{count}` is replaced by the number of rows, or
    /// by 0 if there are none.
    func text(for scene: Scene, _ parameters: Parameters, from dataSource: any DataSource) -> String
    {
        if pieces.count == 1, case .text(let text) = pieces[0] { return text }
        return pieces.reduce(into: "") { text, piece in
            switch piece {
            case .text(let literal): text += literal
            case .parameter(let name):
                text += dataSource.displayName(of: name, in: parameters) ?? parameters[name] ?? ""
            case .count:
                text += String(scene.numberOfRows(parameters, from: dataSource) ?? 0)
            }
        }
    }
}

/// The reason why a text is not a valid template.
public enum TemplateError: Error, Equatable, Sendable, CustomStringConvertible {
    case unbalancedBrace
    case emptyPlaceholder

    public var description: String {
        switch self {
        case .unbalancedBrace: "expected every { to be followed by a name and a }"
        case .emptyPlaceholder: "expected the name of a parameter between { and }"
        }
    }
}
