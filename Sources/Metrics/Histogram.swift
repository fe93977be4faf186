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

    /// The sum of all values.
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

/// Counts what happened. Recording takes no lock and allocates nothing.
public final class Counter: Sendable {
    private let count = Atomic(0)

    public init() {}

    public var value: Int { count.load(ordering: .relaxed) }

    public func increment(by amount: Int = 1) {
        count.add(amount, ordering: .relaxed)
    }
}

/// How many there are now. Recording takes no lock and allocates nothing.
public final class Gauge: Sendable {
    private let level = Atomic(0)

    public init() {}

    public var value: Int { level.load(ordering: .relaxed) }

    public func add(_ amount: Int = 1) {
        level.add(amount, ordering: .relaxed)
    }

    public func subtract(_ amount: Int = 1) {
        level.subtract(amount, ordering: .relaxed)
    }
}

/// The upper bounds of a histogram's buckets.
public struct Buckets: Sendable {
    /// A histogram has this many buckets at most; the last one has no bound.
    static let limit = 16

    /// Ascending, in the unit that is recorded.
    let bounds: [Int]
    /// The recorded values, divided by this number, are in the unit that Prometheus wants.
    let divisor: Int

    /// - Precondition: 15 bounds at most, ascending.
    public init(counts bounds: [Int]) {
        self.init(bounds: bounds, divisor: 1)
    }

    /// Recorded in nanoseconds, told in seconds.
    /// - Precondition: 15 bounds at most, ascending.
    public init(microseconds bounds: [Int]) {
        self.init(bounds: bounds.map { $0 * 1000 }, divisor: 1_000_000_000)
    }

    private init(bounds: [Int], divisor: Int) {
        precondition(bounds.count < Self.limit && bounds == Set(bounds).sorted())
        self.bounds = bounds
        self.divisor = divisor
    }

    func index(of value: Int) -> Int {
        bounds.firstIndex { value <= $0 } ?? bounds.count
    }
}
