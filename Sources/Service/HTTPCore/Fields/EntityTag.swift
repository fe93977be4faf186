/// A strong entity tag (RFC 9110, section 8.8.3), with the comparisons that conditional requests
/// need (section 13.1).
public struct EntityTag: Sendable, Equatable, CustomStringConvertible {
    /// The tag with its quotes.
    public let description: String

    /// - Parameter opaque: the text between the quotes.
    public init(_ opaque: String) { description = "\"" + opaque + "\"" }

    /// Makes a tag from a revision number and a suffix: `"7a"` for revision 7 and the suffix `a`.
    /// - Parameters:
    ///   - revision: the revision number; 0 or more.
    ///   - suffix: ASCII characters other than quotes. Different representations of the same
    ///     revision need different suffixes.
    public init(_ revision: Int, _ suffix: String) {
        let (digits, suffix) = (String(revision).utf8, suffix.utf8)
        let length = digits.count + suffix.count + 2
        description = String(unsafeUninitializedCapacity: length) { text in
            text[0] = Self.quote
            let next = text[1...].initialize(fromContentsOf: digits)
            let end = text[next...].initialize(fromContentsOf: suffix)
            text[end] = Self.quote
            return length
        }
    }

    /// Makes a tag from the hash `fnv1a` of the content.
    @inlinable public init<Content: Sequence<UInt8>>(hashing content: Content) {
        self.init(String(fnv1a(content), radix: 36))
    }

    /// Returns whether the value of a field such as `If-None-Match` lists this tag or is `*`.
    /// - Parameter weakly: whether to use the weak comparison, in which `W/"1"` equals `"1"`.
    ///   `If-None-Match` requires the weak comparison, and `If-Match` the strong one.
    public func isListed(in field: String, weakly: Bool) -> Bool {
        let tags = field.split(separator: ",").map { $0.trimmingBlanks() }
        if tags == ["*"] { return true }
        return tags.contains { tag in
            tag == description || (weakly && tag.hasPrefix("W/") && tag.dropFirst(2) == description)
        }
    }

    /// Returns whether the value of `If-Match` or `If-None-Match` is `*` or a list of entity tags
    /// (RFC 9110, sections 13.1.1 and 13.1.2).
    ///
    /// Only visible ASCII characters are valid in a tag. Empty elements of a list are ignored
    /// (section 5.6.1); a list needs at least one tag.
    public static func isList(_ field: String) -> Bool {
        var rest = Substring(field).trimmingBlanks().utf8
        if rest.elementsEqual("*".utf8) { return true }
        while true {
            rest = rest.drop { $0.isBlank || $0 == UInt8(ascii: ",") }
            if rest.starts(with: "W/".utf8) { rest = rest.dropFirst(2) }
            guard rest.popFirst() == quote else { return false }
            rest = rest.drop { $0 != quote && (0x21...0x7E).contains($0) }
            guard rest.popFirst() == quote else { return false }
            rest = rest.drop(while: \.isBlank)
            if rest.isEmpty { return true }
            guard rest.first == UInt8(ascii: ",") else { return false }
            if rest.allSatisfy({ $0.isBlank || $0 == UInt8(ascii: ",") }) { return true }
        }
    }

    private static let quote = UInt8(ascii: "\"")
}

/// Returns the 64-bit FNV-1a hash of the bytes. The hash is not cryptographic: somebody who chooses
/// the bytes can construct two inputs with the same hash.
///
/// The function is inlinable, so that other modules specialise it for arrays. Without that, it is
/// called through the protocol for each byte.
/// - Parameter start: the hash of the bytes before these.
@inlinable public func fnv1a(
    _ bytes: some Sequence<UInt8>, after start: UInt64 = 0xCBF2_9CE4_8422_2325
) -> UInt64 {
    bytes.reduce(start) { hash, byte in (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
}
