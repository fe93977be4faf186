/// A strong entity tag, and how the conditional fields compare with it (RFC 9110, 8.8.3 and 13.1).
public struct EntityTag: Sendable, Equatable, CustomStringConvertible {
    /// With the quotes.
    public let description: String

    public init(_ opaque: String) { description = "\"" + opaque + "\"" }

    /// The tag of a revision: its number.
    public init(_ revision: Int) {
        description = Self.quoted(revision) ?? "\"\(revision)\""
    }

    /// - Returns: nil if it takes more than the 15 bytes for which a string needs no memory.
    private static func quoted(_ number: Int) -> String? {
        guard (0..<10_000_000_000_000).contains(number) else { return nil }
        return String(unsafeUninitializedCapacity: 15) { text in
            var first = 14
            text[first] = UInt8(ascii: "\"")
            var rest = number
            repeat {
                first -= 1
                text[first] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest > 0
            first -= 1
            text[first] = UInt8(ascii: "\"")
            for index in first..<15 { text[index - first] = text[index] }
            return 15 - first
        }
    }

    /// The tag of content that only a new start of the service changes: a hash that tells
    /// versions apart, not forgeries.
    public init<Content: Sequence<UInt8>>(hashing content: Content) {
        self.init(String(fnv1a(content), radix: 36))
    }

    /// Whether a field such as `If-None-Match` lists this tag, or is `*`.
    /// - Parameter weakly: `If-None-Match` compares weakly: `W/"1"` is the same as `"1"`.
    public func isListed(in field: String, weakly: Bool) -> Bool {
        let tags = field.split(separator: ",").map { $0.trimmingBlanks() }
        if tags == ["*"] { return true }
        return tags.contains { tag in
            tag == description || (weakly && tag.hasPrefix("W/") && tag.dropFirst(2) == description)
        }
    }
}

extension Substring {
    func trimmingBlanks() -> Substring {
        var rest = self
        while let first = rest.first, first == " " || first == "\t" { rest.removeFirst() }
        while let last = rest.last, last == " " || last == "\t" { rest.removeLast() }
        return rest
    }
}
