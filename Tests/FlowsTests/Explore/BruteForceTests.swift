import NavigationRules
import TestSupport
import Testing

@testable import Exploration

/// Compares explorations of random apps with `BruteForce`.
@Suite struct BruteForceTests {
    static let count = TestRun.count(60, nightly: 10_000)
    static let parts = 20
    /// The seeds of apps whose links put view controllers below layers that other links keep.
    static let rare = [1917, 4623]

    @Test(
        "An exploration finds what a walk through all windows finds",
        arguments: 0..<parts)
    func compare(part: Int) throws {
        var (compared, skipped, unknown) = (0, 0, 0)
        let seeds = Set(0..<Self.count).union(Self.rare)
        for seed in seeds.sorted() where seed % Self.parts == part {
            var limits = Exploration.Limits()
            limits.windows = 1500
            var exploration = Exploration(
                try RandomStoryboard.app(seed: UInt64(seed)), limits)
            let report = exploration.run()
            if !report.isComplete { unknown += 1 }
            guard !exploration.isCut else {
                skipped += 1
                continue
            }
            if let differences = Comparison.differences(exploration, report) {
                compared += 1
                try #require(differences == [], "seed \(seed)")
            } else {
                skipped += 1
            }
        }
        #expect(compared > 0 || skipped == 0)
        print("explorations: \(compared) compared, \(skipped) too large, \(unknown) unknown")
    }
}
