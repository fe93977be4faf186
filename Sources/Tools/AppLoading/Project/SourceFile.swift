import Foundation

/// A source file of an app in Swift or Objective-C, from which only the unwind actions and the
/// storyboard identifiers are read.
struct SourceFile {
    /// The classes that declare an unwind action, by the selector of the action.
    private(set) var unwindActions: [String: [String]] = [:]
    /// The storyboard identifiers of the scenes that the source code creates. Identifiers that are
    /// no string literals at the call are not found.
    let instantiated: Set<String>

    init(_ source: String) {
        instantiated = Set(
            source.ranges(of: "instantiateViewController").compactMap {
                Self.identifier(in: source[$0.upperBound...])
            })
        var owner: String?
        for line in source.split(whereSeparator: \.isNewline) {
            // A text may contain what looks like a comment, or like a declaration.
            let code = line.replacing(#/"[^"]*"/#, with: " ")[...]
            let line = code.firstRange(of: "//").map { code[..<$0.lowerBound] } ?? code
            owner = Self.className(in: line) ?? owner
            guard line.contains("UIStoryboardSegue"), let owner else { continue }
            for action in Self.actions(in: line) {
                unwindActions[action, default: []].append(owner)
            }
        }
    }

    private static let modifiers = Set(
        "public package internal fileprivate private open final nonisolated".split(separator: " "))
    /// The words after `class` in the declaration of a member, such as `class var`.
    private static let memberWords = modifiers.union([
        "func", "var", "let", "subscript", "override", "dynamic", "required",
    ])

    /// Returns the name of the class that a line of source code begins to declare or to extend; nil
    /// if it begins none.
    private static func className(in line: Substring) -> String? {
        guard line.contains("class") || line.contains("extension") || line.contains("@impl") else {
            return nil
        }
        // The arguments of an attribute, such as `@objc(Name)`, are no words of the declaration.
        var depth = 0
        let words = line.split { character in
            if character == "(" { depth += 1 }
            if character == ")" { depth = max(depth - 1, 0) }
            return depth > 0
                || !(character.isLetter || character.isNumber || "_@".contains(character))
        }
        guard
            let keyword = words.firstIndex(where: {
                ["class", "extension", "@implementation"].contains($0)
            }), keyword + 1 < words.count, !memberWords.contains(words[keyword + 1]),
            words[..<keyword].allSatisfy({ $0.hasPrefix("@") || modifiers.contains($0) })
        else { return nil }
        return String(words[keyword + 1])
    }

    /// Returns the possible selectors of the method that a line of source code declares. The result
    /// is empty if the line declares neither a Swift method nor an Objective-C method of the type
    /// `IBAction`. Two selectors are possible for a Swift method with an argument label:
    /// `close(segue:)` has the selector `closeWithSegue:`, but `close(for:)` has the selector
    /// `closeFor:`.
    private static func actions(in line: Substring) -> [String] {
        if let open = line.range(of: "func "),
            let bracket = line[open.upperBound...].firstIndex(of: "(")
        {
            let base = line[open.upperBound..<bracket].trimmingCharacters(in: .whitespaces)
            let rest = line[line.index(after: bracket)...]
            let label = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
            guard label != "_" else { return ["\(base):"] }
            let capital = label.prefix(1).uppercased() + label.dropFirst()
            return ["\(base)With\(capital):", "\(base)\(capital):"]
        }
        if let open = line.range(of: "(IBAction)"),
            let colon = line[open.upperBound...].firstIndex(of: ":")
        {
            return ["\(line[open.upperBound..<colon].trimmingCharacters(in: .whitespaces)):"]
        }
        return []
    }

    /// Returns the storyboard identifier in the arguments of `instantiateViewController`, such as
    /// `(withIdentifier: "Player")` or `WithIdentifier:@"Player"`; nil if it is no string literal.
    private static func identifier(in arguments: Substring) -> String? {
        let rest = arguments.drop { $0.isLetter || $0.isWhitespace || "(:@".contains($0) }
        guard rest.first == "\"" else { return nil }
        return String(rest.dropFirst().prefix { $0 != "\"" })
    }
}
