import JSON

/// A time in UTC with a precision of one millisecond. Its text is in the format of RFC 3339:
/// `2026-11-21T07:29:00.000Z`.
public struct Timestamp: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The milliseconds since 1970-01-01 00:00 UTC; negative for an earlier time.
    public let milliseconds: Int

    public init(milliseconds: Int) { self.milliseconds = milliseconds }

    public static func < (one: Timestamp, other: Timestamp) -> Bool {
        one.milliseconds < other.milliseconds
    }

    /// The times that RFC 3339 can express: the years 0 to 9999.
    public static let range =
        Timestamp(milliseconds: -62_167_219_200_000)...Timestamp(milliseconds: 253_402_300_799_999)

    /// Creates a timestamp from the time of a clock. A time outside `range` becomes the nearest
    /// time in `range`.
    /// - Parameter seconds: the seconds since 1970-01-01 00:00 UTC.
    public init(clock seconds: Double) {
        let (first, last) = (Self.range.lowerBound, Self.range.upperBound)
        let milliseconds = seconds * 1000
        if milliseconds >= Double(last.milliseconds) {
            self = last
        } else {
            self =
                milliseconds > Double(first.milliseconds)
                ? Timestamp(milliseconds: Int(milliseconds)) : first
        }
    }

    /// Adds a duration to a time.
    /// - Returns: the sum or, if the sum is outside `range`, the nearest time in `range`. If `time`
    ///   itself is outside `range`, as can happen in a damaged store, the range for the sum is
    ///   extended to include `time`.
    public static func + (time: Timestamp, duration: Duration) -> Timestamp {
        // With this limit, the sum needs at most 123 of the 128 bits of a `Duration`.
        let limit = Duration.seconds(Int.max)
        let sum = .milliseconds(time.milliseconds) + min(max(duration, .zero - limit), limit)
        let (first, last) = (min(range.lowerBound, time), max(range.upperBound, time))
        if sum >= .milliseconds(last.milliseconds) { return last }
        if sum <= .milliseconds(first.milliseconds) { return first }
        let (seconds, attoseconds) = sum.components
        return Timestamp(
            milliseconds: Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000))
    }

    /// Returns the time from `other` to this timestamp; negative if `other` is later.
    public func duration(since other: Timestamp) -> Duration {
        .milliseconds(milliseconds) - .milliseconds(other.milliseconds)
    }

    /// The length of the text in RFC 3339 format, in bytes.
    public static let length = 24

    /// Whether the time is in `range`, so that RFC 3339 can express it.
    public var isInForm: Bool { Self.range.contains(self) }

    public var description: String {
        guard isInForm else {
            let days = CivilDate.floorDivide(milliseconds, by: 86_400_000).0
            let date = CivilDate(daysSince1970: days)
            return "\(date.year)-\(date.month)-\(date.day)"
        }
        return String(unsafeUninitializedCapacity: Self.length) { text in
            write(into: text)
            return Self.length
        }
    }

    /// Writes the time in RFC 3339 format.
    /// - Parameter text: memory for `length` bytes.
    /// - Precondition: `isInForm` is true.
    public func write(into text: UnsafeMutableBufferPointer<UInt8>) {
        let (days, milliseconds) = CivilDate.floorDivide(milliseconds, by: 86_400_000)
        let date = CivilDate(daysSince1970: days)
        let time = UInt32(truncatingIfNeeded: milliseconds)
        let zeros: StaticString = "0000-00-00T00:00:00.000Z"
        text.baseAddress?.update(from: zeros.utf8Start, count: Self.length)
        Self.write(UInt32(date.year) / 100, into: text, at: 0)
        Self.write(UInt32(date.year) % 100, into: text, at: 2)
        Self.write(date.month, into: text, at: 5)
        Self.write(date.day, into: text, at: 8)
        Self.write(time / 3_600_000, into: text, at: 11)
        Self.write(time / 60_000 % 60, into: text, at: 14)
        Self.write(time / 1000 % 60, into: text, at: 17)
        text[20] &+= UInt8(truncatingIfNeeded: time % 1000 / 100)
        Self.write(time % 100, into: text, at: 21)
    }

    /// Writes a number as two decimal digits. Both places in the text must already contain the
    /// digit `0`, to which the method adds.
    /// - Parameter number: a number below 100. The type has 32 bits because 32-bit division is
    ///   fast.
    @inline(__always)
    private static func write(
        _ number: UInt32, into text: UnsafeMutableBufferPointer<UInt8>, at index: Int
    ) {
        text[index] &+= UInt8(truncatingIfNeeded: number / 10)
        text[index + 1] &+= UInt8(truncatingIfNeeded: number % 10)
    }
}
