import Foundation

/// A name that an account goes by: 3 to 64 letters, digits and `. _ - @`.
public struct Username: Sendable, Hashable {
    /// As it was signed up.
    public let text: String
    /// Names compare by this: NFKC, without regard to case.
    public let key: String

    /// - Throws: `.invalidUsername` with the rule that is broken.
    public init(_ text: String) throws(AccountError) {
        let normal = text.precomposedStringWithCompatibilityMapping
        // Scalars, not what looks like one character: a letter may carry any number of marks.
        let scalars = normal.unicodeScalars
        guard (3...64).contains(scalars.count) else {
            throw .invalidUsername("expected 3 to 64 characters")
        }
        guard scalars.allSatisfy(Self.isAllowed) else {
            throw .invalidUsername("expected only letters, digits and . _ - @")
        }
        self.text = normal
        // Case folding can undo the composition.
        key = normal.lowercased().precomposedStringWithCompatibilityMapping
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isAlphabetic || scalar.properties.numericType == .decimal
            || "._-@".unicodeScalars.contains(scalar)
    }

    public static func == (one: Username, other: Username) -> Bool { one.key == other.key }
    public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}
