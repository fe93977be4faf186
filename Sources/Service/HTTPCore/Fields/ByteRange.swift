/// The range that a `Range` field requests (RFC 9110, section 14.2).
public enum ByteRange: Sendable, Equatable {
    /// The whole representation. The field is absent, or has a form that a server may ignore: a
    /// unit other than bytes, a list of ranges, or invalid syntax.
    case whole
    case part(Range<Int>)
    case notSatisfiable

    /// Parses the value of a `Range` field.
    /// - Parameters:
    ///   - field: the value of the field; nil if the request has none.
    ///   - size: the size of the whole representation in bytes.
    public init(_ field: String?, size: Int) {
        guard let field, field.hasPrefix("bytes=") else {
            self = .whole
            return
        }
        let bounds = field.dropFirst("bytes=".count).trimmingBlanks()
            .split(separator: "-", omittingEmptySubsequences: false)
        guard bounds.count == 2 else {
            self = .whole
            return
        }
        switch (Self.number(bounds[0]), Self.number(bounds[1])) {
        case (let first?, let last?) where first <= last:
            self = first < size ? .part(first..<min(last, size - 1) + 1) : .notSatisfiable
        case (let first?, nil) where bounds[1].isEmpty:
            self = first < size ? .part(first..<size) : .notSatisfiable
        case (nil, let suffix?) where bounds[0].isEmpty:
            self = suffix > 0 && size > 0 ? .part(max(0, size - suffix)..<size) : .notSatisfiable
        default:
            self = .whole
        }
    }

    /// Parses a decimal number.
    /// - Returns: nil if `text` is empty or has a character that is not a digit. If the number is
    ///   too large for an `Int`, the result is `Int.max - 1`, which exceeds any real size.
    private static func number(_ text: Substring) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy(\.isDigit) else { return nil }
        return Int(text) ?? Int.max - 1
    }
}
