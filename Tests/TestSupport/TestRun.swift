import Foundation

/// How much a run of the tests tries at random. The variable `WAYPOST_TESTS` names it.
public enum TestRun: String, Sendable {
    /// `make quick`: few random runs, and each test of `.everyStore` with the store in memory only.
    case quick
    /// `make test`, where the variable is absent: the runs that a change must pass.
    case change
    /// `make nightly`: all random runs.
    case nightly

    public static let current =
        ProcessInfo.processInfo.environment["WAYPOST_TESTS"].flatMap(Self.init) ?? .change

    /// Returns how many random runs a property test makes.
    /// - Parameters:
    ///   - count: the number of runs that a change must pass. A quick run makes a tenth of them.
    ///   - nightly: the number of all runs.
    public static func count(_ count: Int, nightly: Int) -> Int {
        switch current {
        case .quick: max(1, count / 10)
        case .change: count
        case .nightly: nightly
        }
    }

    /// Returns the seeds of these runs: 1, 2 and so on.
    public static func seeds(_ count: Int, nightly: Int) -> ClosedRange<UInt64> {
        1...UInt64(Self.count(count, nightly: nightly))
    }
}
