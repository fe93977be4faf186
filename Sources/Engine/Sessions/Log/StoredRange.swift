import JSON

/// The valid ranges of stored numbers. Sums and differences of numbers in these ranges cannot
/// overflow.
package enum StoredRange {
    package static let numbers = 0...(1 << 56)
    /// The range of stored numbers that must be at least 1, such as the revision of a change.
    package static let counts = 1...(1 << 56)
    /// The range of timestamps in milliseconds: about two million years before and after 1970.
    package static let timestamps = -(1 << 56)...(1 << 56)
}

extension JSONValue {
    /// The value as a number; nil if the value is not an integer in `StoredRange.numbers`.
    package var storedNumber: Int? {
        number.flatMap { StoredRange.numbers.contains($0) ? $0 : nil }
    }
}
