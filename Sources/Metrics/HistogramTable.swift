import Synchronization

/// Histograms with two labels or more. Most combinations of labels never occur, so each histogram is
/// created at its first value. Later recordings take no lock and allocate no memory.
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
