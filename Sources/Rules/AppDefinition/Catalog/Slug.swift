import Foundation

/// A URL-safe form of a name. It consists of the letters `a` to `z`, digits, and single hyphens
/// between them.
///
/// - Letters of other scripts are transliterated, and diacritical marks are removed: "Brontë"
///   becomes `bronte`, "Łódź" becomes `lodz`, and "Толстой" becomes `tolstoj`.
/// - Apostrophes are removed: "Ender's Game" becomes `enders-game`.
/// - Each run of other characters between letters or digits becomes one hyphen: "J.R.R. Tolkien"
///   becomes `j-r-r-tolkien`.
struct Slug {
    /// The maximum length of a slug, in bytes. An id, which is a slug or a slug with a suffix such
    /// as `-2`, has at most 80 bytes. The difference leaves room for the suffix.
    static let maximumLength = 72

    /// The maximum number of Unicode scalars that are transliterated. The rest of a longer name is
    /// ignored, because the time for the transliteration grows with the square of the length.
    private static let scalars = 1000

    /// The slug; empty if no character of the name becomes a letter or a digit.
    let text: String

    init(_ name: String) {
        var bytes: [UInt8] = []
        for byte in Self.transliterate(name).utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                bytes.append(byte)
            case UInt8(ascii: "A")...UInt8(ascii: "Z"):
                bytes.append(byte | 0x20)
            case UInt8(ascii: "'"), UInt8(ascii: "`"):
                continue
            default:
                if let last = bytes.last, last != Self.hyphen { bytes.append(Self.hyphen) }
            }
        }
        if bytes.last == Self.hyphen { bytes.removeLast() }
        text = String(decoding: Self.shorten(bytes), as: UTF8.self)
    }

    private static let hyphen = UInt8(ascii: "-")

    private static func transliterate(_ name: String) -> String {
        // ASCII names need no transliteration, which would take a hundred times as long as the
        // rest.
        guard !name.utf8.allSatisfy({ $0 < 0x80 }) else { return name }
        let name = String(String.UnicodeScalarView(name.unicodeScalars.prefix(scalars)))
        let latin = StringTransform("Any-Latin; Latin-ASCII")
        return name.applyingTransform(latin, reverse: false) ?? name
    }

    /// Shortens a slug to the maximum length. The cut is at the last possible hyphen, or inside the
    /// first word if this word alone is too long.
    private static func shorten(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
        guard bytes.count > maximumLength else { return bytes[...] }
        let end = bytes[...maximumLength].lastIndex(of: hyphen) ?? maximumLength
        return bytes[..<end]
    }
}
