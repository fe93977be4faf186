import Synchronization

/// How many values were how large. Recording takes no lock and allocates nothing: two additions.
public final class Histogram: Sendable {
    let buckets: Buckets
    private let counts: InlineArray<16, Atomic<Int>> = InlineArray { _ in Atomic(0) }
    private let total = Atomic(0)

    public init(_ buckets: Buckets) {
        self.buckets = buckets
    }

    /// - Parameter value: in the unit of the buckets' bounds.
    public func record(_ value: Int) {
        counts[buckets.index(of: value)].add(1, ordering: .relaxed)
        total.add(value, ordering: .relaxed)
    }

    public func record(_ duration: Duration) {
        // Its components would be divisions of 128 bits. A Double is exact enough: for 100 days.
        record(Int(duration / .nanoseconds(1)))
    }

    /// How many values were recorded.
    public var count: Int {
        (0...buckets.bounds.count).reduce(0) { $0 + counts[$1].load(ordering: .relaxed) }
    }

    /// Of all values.
    var sum: Double { Double(total.load(ordering: .relaxed)) / Double(buckets.divisor) }

    /// How many values were at most as large as each bound, and last how many there were at all.
    var cumulativeCounts: [Int] {
        var sum = 0
        return (0...buckets.bounds.count).map { index in
            sum += counts[index].load(ordering: .relaxed)
            return sum
        }
    }
}
