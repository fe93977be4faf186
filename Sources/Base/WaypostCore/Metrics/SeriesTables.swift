/// One histogram for each combination of the values of two or more labels. Most histograms stay
/// empty. A recording takes no lock and allocates no memory.
public final class HistogramTable: Sendable {
    private let table: [Histogram]

    /// Creates a table of empty histograms.
    /// - Parameter count: the number of combinations of label values.
    public init(_ buckets: Buckets, count: Int) {
        table = (0..<count).map { _ in Histogram(buckets) }
    }

    /// Records a duration for one combination of label values.
    /// - Parameter index: the index of the combination, from 0; the caller numbers the
    ///   combinations.
    public func record(_ duration: Duration, at index: Int) { table[index].record(duration) }

    /// The histograms that have values, each with the index of its combination of label values.
    public var histograms: [(index: Int, histogram: Histogram)] {
        table.enumerated().compactMap { index, histogram in
            histogram.count == 0 ? nil : (index, histogram)
        }
    }
}

/// One counter for each combination of the values of two or more labels. Counting takes no lock and
/// allocates no memory.
public final class CounterTable: Sendable {
    private let counters: [Counter]

    /// Creates counters that are all 0.
    /// - Parameter count: the number of combinations of label values.
    public init(count: Int) {
        counters = (0..<count).map { _ in Counter() }
    }

    /// Counts one event for one combination of label values.
    /// - Parameter index: the index of the combination, from 0; the caller numbers the
    ///   combinations.
    public func increment(at index: Int) { counters[index].increment() }

    /// The counts that are not 0, each with the index of its combination of label values.
    public var counts: [(index: Int, count: Int)] {
        counters.enumerated().compactMap { index, counter in
            let count = counter.value
            return count == 0 ? nil : (index, count)
        }
    }
}
