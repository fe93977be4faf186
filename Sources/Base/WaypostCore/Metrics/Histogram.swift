import Synchronization

/// A histogram metric. Recording a value takes no lock, allocates no memory, and makes two atomic
/// additions.
public final class Histogram: Sendable {
    let buckets: Buckets
    private let counts: InlineArray<16, Atomic<Int>> = InlineArray { _ in Atomic(0) }
    private let total = Atomic(0)

    public init(_ buckets: Buckets) {
        self.buckets = buckets
    }

    /// Records a value.
    /// - Parameter value: a plain count, or nanoseconds if the buckets are for durations.
    public func record(_ value: Int) {
        counts[buckets.index(of: value)].add(1, ordering: .relaxed)
        total.add(value, ordering: .relaxed)
    }

    public func record(_ duration: Duration) {
        // A division of Doubles is faster than the 128-bit divisions of `components`, and exact
        // enough up to 100 days.
        record(Int(duration / .nanoseconds(1)))
    }

    /// The number of recorded values.
    public var count: Int {
        (0...buckets.bounds.count).reduce(0) { $0 + counts[$1].load(ordering: .relaxed) }
    }

    /// The sum of the recorded values, converted to the unit that Prometheus expects, such as
    /// seconds.
    var sum: Double { Double(total.load(ordering: .relaxed)) / Double(buckets.divisor) }

    /// For each bound, the number of values that are less than or equal to the bound. An additional
    /// last element is the number of all values.
    var cumulativeCounts: [Int] {
        var sum = 0
        return (0...buckets.bounds.count).map { index in
            sum += counts[index].load(ordering: .relaxed)
            return sum
        }
    }
}

/// A counter metric. Incrementing takes no lock and allocates no memory.
public final class Counter: Sendable {
    private let count = Atomic(0)

    public init() {}

    public var value: Int { count.load(ordering: .relaxed) }

    public func increment(by amount: Int = 1) {
        count.add(amount, ordering: .relaxed)
    }
}

/// A gauge metric. Changing the value takes no lock and allocates no memory.
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

    public func set(_ value: Int) {
        level.store(value, ordering: .relaxed)
    }
}

/// The upper bounds of a histogram's buckets.
public struct Buckets: Sendable {
    /// The maximum number of buckets. The last bucket has no upper bound.
    static let limit = 16

    /// The bounds in ascending order, in the unit of the recorded values.
    let bounds: [Int]
    /// The number by which a recorded value is divided to convert it to the unit that Prometheus
    /// expects, such as seconds.
    let divisor: Int

    /// Makes buckets for plain counts.
    /// - Precondition: `bounds` has at most 15 elements, in ascending order and without
    ///   repetitions.
    public init(counts bounds: [Int]) {
        self.init(bounds: bounds, divisor: 1)
    }

    /// Makes buckets for durations. The durations are recorded in nanoseconds and exposed in
    /// seconds.
    /// - Parameter bounds: the upper bounds in microseconds.
    /// - Precondition: `bounds` has at most 15 elements, in ascending order and without
    ///   repetitions.
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
