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
        let date = "\(pad(year, 4))-\(pad(month, 2))-\(pad(day, 2))"
        let clock = "\(pad(time / 3_600_000, 2)):\(pad(time / 60_000 % 60, 2))"
        return "\(date)T\(clock):\(pad(time / 1000 % 60, 2)).\(pad(time % 1000, 3))Z"
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

    private func pad(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
