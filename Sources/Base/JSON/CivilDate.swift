/// A date of the Gregorian calendar, also before its introduction in 1582.
public struct CivilDate: Sendable {
    public let year: Int
    public let month: UInt32
    public let day: UInt32

    /// Creates the date of a day. The algorithm is Howard Hinnant's `civil_from_days`. It counts
    /// eras of 400 years from 0000-03-01. Within the algorithm, a year begins on 1 March, so that a
    /// leap day is the last day of a year.
    /// - Parameter days: the number of days since 1970-01-01.
    @inlinable
    public init(daysSince1970 days: Int) {
        let (era, remainder) = Self.floorDivide(days + 719_468, by: 146_097)
        let dayOfEra = UInt32(truncatingIfNeeded: remainder)
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        year = era * 400 + Int(yearOfEra) + (month <= 2 ? 1 : 0)
        day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
    }

    /// Divides two integers, and rounds the quotient down.
    @inlinable
    public static func floorDivide(_ value: Int, by divisor: Int) -> (Int, remainder: Int) {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
