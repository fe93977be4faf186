/// A moment in UTC, to the millisecond. Written as RFC 3339 says: `2026-11-21T07:29:00.000Z`.
public struct Timestamp: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// Since 1970.
    public let milliseconds: Int

    public init(milliseconds: Int) { self.milliseconds = milliseconds }

    public static func < (one: Timestamp, other: Timestamp) -> Bool {
        one.milliseconds < other.milliseconds
    }

    public static func + (time: Timestamp, duration: Duration) -> Timestamp {
        let (seconds, attoseconds) = duration.components
        let milliseconds = Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
        return Timestamp(milliseconds: time.milliseconds + milliseconds)
    }

    public var description: String {
        let (days, time) = Self.floorDivide(milliseconds, by: 86_400_000)
        let (year, month, day) = Self.civil(days)
        // Beyond the year 9999 there is no such form, but no crash either.
        guard (0...9999).contains(year) else { return "\(year)-\(month)-\(day)" }
        return String(unsafeUninitializedCapacity: 24) { text in
            _ = text.initialize(from: "0000-00-00T00:00:00.000Z".utf8)
            Self.write(year, into: text, endingAt: 4)
            Self.write(month, into: text, endingAt: 7)
            Self.write(day, into: text, endingAt: 10)
            Self.write(time / 3_600_000, into: text, endingAt: 13)
            Self.write(time / 60_000 % 60, into: text, endingAt: 16)
            Self.write(time / 1000 % 60, into: text, endingAt: 19)
            Self.write(time % 1000, into: text, endingAt: 23)
            return 24
        }
    }

    /// Over the zeros that are there.
    private static func write(
        _ number: Int, into text: UnsafeMutableBufferPointer<UInt8>, endingAt end: Int
    ) {
        var rest = number
        var index = end
        while rest > 0 {
            index -= 1
            text[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
    }

    /// The Gregorian date of a day, counted from 1970-01-01: Howard Hinnant's `civil_from_days`,
    /// which counts in 400-year eras from 0000-03-01 so that the leap day comes last.
    private static func civil(_ days: Int) -> (year: Int, month: Int, day: Int) {
        let (era, dayOfEra) = floorDivide(days + 719_468, by: 146_097)
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        return (
            era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month,
            dayOfYear - (153 * marchMonth + 2) / 5 + 1
        )
    }

    private static func floorDivide(_ value: Int, by divisor: Int) -> (Int, Int) {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
