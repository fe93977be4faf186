import Foundation
import TestSupport
import Testing

@testable import WaypostCore

@Suite("Timestamps")
struct TimestampTests {
    @Test(
        "A moment is written as RFC 3339 says",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (1, "1970-01-01T00:00:00.001Z"),
            (999, "1970-01-01T00:00:00.999Z"), (86_399_999, "1970-01-01T23:59:59.999Z"),
            (86_400_000, "1970-01-02T00:00:00.000Z"),
            // Before 1970
            (-1, "1969-12-31T23:59:59.999Z"), (-86_400_000, "1969-12-31T00:00:00.000Z"),
            (-62_135_596_800_000, "0001-01-01T00:00:00.000Z"),
            (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
            // Leap days: each fourth year, not each hundredth, but each four hundredth
            (68_169_600_000, "1972-02-29T00:00:00.000Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (951_868_800_000, "2000-03-01T00:00:00.000Z"),
            (4_107_456_000_000, "2100-02-28T00:00:00.000Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
            (1_735_603_200_000, "2024-12-31T00:00:00.000Z"),
            // The last moment of four digits
            (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
        ])
    func description(milliseconds: Int, expected: String) {
        #expect(Timestamp(milliseconds: milliseconds).description == expected)
    }

    @Test("A timestamp is written as Foundation writes it, for all years since 1600")
    func foundation() throws {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<5000 {
            let second = Int.random(in: -11_676_096_000...253_402_300_799, using: &generator)
            let millisecond = Int.random(in: 0...999, using: &generator)
            // Foundation is asked for whole seconds: a Date rounds its milliseconds.
            let date = Date(timeIntervalSince1970: Double(second)).ISO8601Format()
            let digits = String(String(1000 + millisecond).dropFirst())
            let expected = date.dropLast() + ".\(digits)Z"
            try #require(
                Timestamp(milliseconds: second * 1000 + millisecond).description == expected)
        }
    }

    @Test(
        "A duration is added to the millisecond",
        arguments: [
            (.zero, 0), (.milliseconds(1), 1), (.seconds(90 * 24 * 3600), 7_776_000_000),
            (.seconds(-1), -1000), (.milliseconds(-1), -1), (.microseconds(1999), 1),
            (.seconds(1) + .milliseconds(500), 1500),
        ] as [(Duration, Int)])
    func addition(duration: Duration, milliseconds: Int) {
        let start = Timestamp(milliseconds: 10_000)
        #expect((start + duration).milliseconds == 10_000 + milliseconds)
    }

    private static let first = Timestamp.range.lowerBound
    private static let last = Timestamp.range.upperBound
    private static let longest = Duration(
        secondsComponent: .max, attosecondsComponent: 999_999_999_999_999_999)
    private static let shortest = Duration(secondsComponent: .min, attosecondsComponent: 0)

    @Test(
        "A sum beyond the years 0 to 9999 is the first or the last moment of them",
        arguments: [
            (last, .milliseconds(1), last), (last, longest, last), (first, longest, last),
            (first, .milliseconds(-1), first), (first, shortest, first), (last, shortest, first),
            (first, .milliseconds(1), Timestamp(milliseconds: -62_167_219_199_999)),
            // As a damaged store may have them
            (Timestamp(milliseconds: .max), .zero, Timestamp(milliseconds: .max)),
            (Timestamp(milliseconds: .max), longest, Timestamp(milliseconds: .max)),
            (Timestamp(milliseconds: .max), shortest, first),
            (Timestamp(milliseconds: .min), .seconds(1), Timestamp(milliseconds: .min + 1000)),
            (Timestamp(milliseconds: .min), shortest, Timestamp(milliseconds: .min)),
            (Timestamp(milliseconds: .min), longest, last),
        ])
    func saturation(time: Timestamp, duration: Duration, sum: Timestamp) {
        #expect(time + duration == sum)
    }

    @Test("The time between two moments is exact, whichever they are")
    func difference() {
        let one = Timestamp(milliseconds: 1)
        #expect(one.duration(since: Timestamp(milliseconds: 3)) == .milliseconds(-2))
        let longest = Timestamp(milliseconds: .max).duration(since: Timestamp(milliseconds: .min))
        #expect(longest == .milliseconds(Int.max) + .milliseconds(Int.max) + .milliseconds(1))
    }

    @Test(
        "A clock shows the nearest moment of the years 0 to 9999",
        arguments: [
            (0, Timestamp(milliseconds: 0)), (1.5, Timestamp(milliseconds: 1500)),
            (253_402_300_799, Timestamp(milliseconds: 253_402_300_799_000)),
            (253_402_300_800, last), (1e15, last), (1e300, last), (.infinity, last),
            (-62_167_219_200, first), (-1e15, first), (-.infinity, first), (.nan, first),
        ] as [(Double, Timestamp)])
    func clock(seconds: Double, expected: Timestamp) {
        #expect(Timestamp(clock: seconds) == expected)
    }

    @Test("The earlier moment is the lesser one, and written before the later one")
    func order() {
        var generator = SeededGenerator(seed: 2)
        let moments = (0..<200).map { _ in
            Timestamp(milliseconds: .random(in: 0...253_402_300_799_999, using: &generator))
        }.sorted()
        for (one, other) in zip(moments, moments.dropFirst()) {
            #expect(one.milliseconds <= other.milliseconds)
            #expect(one.description <= other.description)
        }
    }
}
