/// A pattern in a file that associates a website with an app: `*` stands for any text, `?` for one
/// character, and `$(name)` for one of the texts of a variable.
struct Wildcards {
    private enum Piece {
        case literal(Character)
        case one
        case any
        case oneOf([[Piece]])
        case member(@Sendable (Character) -> Bool)
    }

    private let pieces: [Piece]

    /// - Parameter variables: for each variable, the texts for which it stands. The texts can have
    ///   `*` and `?`, and no variables.
    init(_ pattern: String, _ variables: [String: [String]]) {
        pieces = Self.pieces(pattern, variables)
    }

    private static func pieces(_ pattern: String, _ variables: [String: [String]]) -> [Piece] {
        var pieces: [Piece] = []
        var rest = pattern[...]
        while let character = rest.popFirst() {
            switch character {
            case "*": pieces.append(.any)
            case "?": pieces.append(.one)
            case "$" where rest.first == "(" && rest.contains(")"):
                let name = String(rest.dropFirst().prefix { $0 != ")" })
                rest = rest.dropFirst(name.count + 2)
                pieces += variable(name, variables)
            default: pieces.append(.literal(character))
            }
        }
        return pieces
    }

    /// The variables that Apple predefines stand for one character of a class, or for a code of two
    /// letters.
    private static func variable(_ name: String, _ variables: [String: [String]]) -> [Piece] {
        if let texts = variables[name] { return [.oneOf(texts.map { pieces($0, [:]) })] }
        switch name {
        case "alpha": return [.member { $0.isASCII && $0.isLetter }]
        case "upper": return [.member { $0.isASCII && $0.isUppercase }]
        case "lower": return [.member { $0.isASCII && $0.isLowercase }]
        case "alnum": return [.member { $0.isASCII && ($0.isLetter || $0.isNumber) }]
        case "digit": return [.member { $0.isASCII && $0.isNumber }]
        case "xdigit": return [.member { $0.isASCII && $0.isHexDigit }]
        case "lang", "region":
            return Array(repeating: .member { $0.isASCII && $0.isLetter }, count: 2)
        default: return [.oneOf([])]
        }
    }

    /// Returns whether the pattern stands for the whole text.
    /// - Parameter ignoresCase: whether the texts of the pattern and of its variables stand for
    ///   letters of both cases. The predefined variables do not: `$(upper)` is one capital letter.
    func matches(_ text: String, ignoringCase ignoresCase: Bool = false) -> Bool {
        let characters = Array(text)
        return Self.ends(of: pieces, in: characters, from: [0], ignoringCase: ignoresCase)
            .contains(characters.count)
    }

    /// Returns the indices at which a match of `pieces` can end. The time is proportional to the
    /// product of both lengths.
    private static func ends(
        of pieces: [Piece], in text: [Character], from starts: Set<Int>,
        ignoringCase ignoresCase: Bool
    ) -> Set<Int> {
        pieces.reduce(starts) { starts, piece in
            func next(_ isMatch: (Character) -> Bool) -> Set<Int> {
                Set(starts.filter { $0 < text.count && isMatch(text[$0]) }.map { $0 + 1 })
            }
            switch piece {
            case .literal(let character):
                let lower = character.lowercased()
                return next { $0 == character || ignoresCase && $0.lowercased() == lower }
            case .one: return next { _ in true }
            case .member(let isMember): return next(isMember)
            case .any: return starts.min().map { Set($0...text.count) } ?? []
            case .oneOf(let choices):
                return choices.reduce(into: []) {
                    $0.formUnion(
                        ends(of: $1, in: text, from: starts, ignoringCase: ignoresCase))
                }
            }
        }
    }
}
