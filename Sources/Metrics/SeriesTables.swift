/// Histograms with two labels or more, most of which stay empty. A recording takes no lock and
/// allocates no memory.
public final class HistogramTable: Sendable {
    private let table: [Histogram]

    /// - Parameter count: the number of combinations of labels.
    public init(_ buckets: Buckets, count: Int) {
        table = (0..<count).map { _ in Histogram(buckets) }
    }

    /// Records a duration for one combination of labels.
    /// - Parameter index: the number of the combination, from 0.
    public func record(_ duration: Duration, at index: Int) { table[index].record(duration) }

    /// The histograms that have values, with their indices.
    public var histograms: [(index: Int, histogram: Histogram)] {
        table.enumerated().compactMap { index, histogram in
            histogram.count == 0 ? nil : (index, histogram)
        }
    }
}

/// Counters with two labels or more, most of which stay 0. Counting takes no lock and allocates no
/// memory.
public final class CounterTable: Sendable {
    private let counters: [Counter]

    /// - Parameter count: the number of combinations of labels.
    public init(count: Int) {
        counters = (0..<count).map { _ in Counter() }
    }

    /// Counts one event for one combination of labels.
    /// - Parameter index: the number of the combination, from 0.
    public func increment(at index: Int) { counters[index].increment() }

    /// The counts that are not 0, with their indices.
    public var counts: [(index: Int, count: Int)] {
        counters.enumerated().compactMap { index, counter in
            let count = counter.value
            return count == 0 ? nil : (index, count)
        }
    }
}
