import Foundation

/// A name that an account goes by: 3 to 64 letters, digits and `. _ - @`.
public struct Username: Sendable, Hashable {
    /// As it was signed up.
    public let text: String
    /// Names compare by this: NFKC, without regard to case.
    private let key: String

    /// - Throws: `.invalidUsername` with the rule that is broken.
    public init(_ text: String) throws(AccountError) {
        let normal = text.precomposedStringWithCompatibilityMapping
        guard (3...64).contains(normal.count) else {
            throw .invalidUsername("expected 3 to 64 characters")
        }
        guard normal.allSatisfy(Self.isAllowed) else {
            throw .invalidUsername("expected only letters, digits and . _ - @")
        }
        self.text = normal
        // Case folding can undo the composition.
        key = normal.lowercased().precomposedStringWithCompatibilityMapping
    }

    private static func isAllowed(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || "._-@".contains(character)
    }

    public static func == (one: Username, other: Username) -> Bool { one.key == other.key }
    public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}
