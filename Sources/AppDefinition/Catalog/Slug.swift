import Foundation

/// A name in the letters `a` to `z`, digits and single hyphens between them, as for a path.
///
/// - Other scripts are transliterated and marks dropped: "Brontë" is `bronte`, "Łódź" is `lodz`,
///   "Толстой" is `tolstoj`.
/// - Apostrophes vanish: "Ender's Game" is `enders-game`, "L'Étranger" is `letranger`.
/// - Anything else between letters becomes one hyphen: "J.R.R. Tolkien" is `j-r-r-tolkien`.
struct Slug {
    /// In bytes. A suffix that makes an id unique still fits 80.
    static let maximumLength = 72

    /// How many characters (Unicode scalars) of a name decide. The transliteration takes a time that
    /// grows with the square of the length.
    private static let scalars = 1000

    /// Empty if nothing of the name can be written so.
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
        // Most names need none, and the transform takes a hundred times as long as the rest.
        guard !name.utf8.allSatisfy({ $0 < 0x80 }) else { return name }
        let name = String(String.UnicodeScalarView(name.unicodeScalars.prefix(scalars)))
        let latin = StringTransform("Any-Latin; Latin-ASCII")
        return name.applyingTransform(latin, reverse: false) ?? name
    }

    /// Cuts at the last hyphen that fits, or in the midst of a word that is longer than all.
    private static func shorten(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
        guard bytes.count > maximumLength else { return bytes[...] }
        let end = bytes[...maximumLength].lastIndex(of: hyphen) ?? maximumLength
        return bytes[..<end]
    }
}
