/// A text with placeholders for parameters and for the number of rows: `{count} books by {author}`.
public struct TextTemplate: Sendable, Equatable {
    enum Piece: Sendable, Equatable {
        case text(String)
        case parameter(String)
        case count
    }

    /// The text as the storyboard has it, with its placeholders.
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

    /// The names of the parameters in the placeholders.
    var parameters: [String] {
        pieces.compactMap { if case .parameter(let name) = $0 { name } else { nil } }
    }

    var showsCount: Bool { pieces.contains(.count) }

    /// Returns the text with the values of the parameters in place of their placeholders, for a
    /// parameter that a segue passes to the next scene. `{count}` stays as it is.
    func values(_ parameters: Parameters) -> String {
        pieces.reduce(into: "") { text, piece in
            switch piece {
            case .text(let literal): text += literal
            case .parameter(let name): text += parameters[name] ?? ""
            case .count: text += "{count}"
            }
        }
    }

    /// Returns the text for a view controller of `scene`. A placeholder shows the *display name* of
    /// its parameter (the author's name, not the id) if the data source has one, and the
    /// parameter's value otherwise.
    func text(for scene: Scene, _ parameters: Parameters, from dataSource: any DataSource) -> String
    {
        if pieces.count == 1, case .text(let text) = pieces[0] { return text }
        return pieces.reduce(into: "") { text, piece in
            switch piece {
            case .text(let literal): text += literal
            case .parameter(let name):
                text += dataSource.displayName(of: name, in: parameters) ?? parameters[name] ?? ""
            case .count:
                let count = scene.rows.flatMap { dataSource.numberOfRows(in: $0, parameters) }
                text += String(count ?? 0)
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
