import Synchronization

/// Histograms with two labels or more. Most combinations of labels never occur, so each histogram is
/// created when its first value is recorded. Later recordings take no lock and allocate no memory.
public final class HistogramTable: Sendable {
    /// A histogram that is set at most once. An array cannot hold the atomic reference itself.
    private final class Slot: Sendable {
        let histogram = AtomicLazyReference<Histogram>()
    }

    private let buckets: Buckets
    private let slots: [Slot]

    /// - Parameter count: the number of combinations of labels.
    public init(_ buckets: Buckets, count: Int) {
        self.buckets = buckets
        slots = (0..<count).map { _ in Slot() }
    }

    /// Records a duration for one combination of labels.
    /// - Parameter index: the number of the combination, from 0.
    public func record(_ duration: Duration, at index: Int) {
        histogram(at: index).record(duration)
    }

    private func histogram(at index: Int) -> Histogram {
        let slot = slots[index]
        return slot.histogram.load() ?? slot.histogram.storeIfNil(Histogram(buckets))
    }

    /// The histograms that have values, with their indices.
    public var histograms: [(index: Int, histogram: Histogram)] {
        slots.enumerated().compactMap { index, slot in
            slot.histogram.load().map { (index, $0) }
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
