/// The range that a `Range` field requests (RFC 9110, section 14.2).
public enum ByteRange: Sendable, Equatable {
    /// The whole representation. The field is absent, or has a form that a server may ignore: a
    /// unit other than bytes, a list of ranges, or invalid syntax.
    case whole
    case part(Range<Int>)
    case notSatisfiable

    /// - Parameters:
    ///   - field: the value of the field; nil if the request has none.
    ///   - size: the size of the whole representation in bytes.
    public init(_ field: String?, size: Int) {
        guard
            let bounds = field?.wholeMatch(of: /bytes=[ \t]*([0-9]*)-([0-9]*)[ \t]*/)?.output
        else {
            self = .whole
            return
        }
        switch (Self.number(bounds.1), Self.number(bounds.2)) {
        case (let first?, let last?) where first <= last:
            self = first < size ? .part(first..<min(last, size - 1) + 1) : .notSatisfiable
        case (let first?, nil):
            self = first < size ? .part(first..<size) : .notSatisfiable
        case (nil, let suffix?):
            self = suffix > 0 && size > 0 ? .part(max(0, size - suffix)..<size) : .notSatisfiable
        default:
            self = .whole
        }
    }

    /// Returns the number with these digits; nil if there are none. If it is too large for an `Int`,
    /// the result is `Int.max - 1`, which exceeds any real size.
    private static func number(_ digits: Substring) -> Int? {
        digits.isEmpty ? nil : Int(digits) ?? Int.max - 1
    }
}
