import Synchronization

/// Histograms with two labels or more. Most combinations of labels never occur, so each histogram is
/// created at its first value. Later recordings take no lock and allocate no memory.
public final class HistogramTable: Sendable {
    /// A histogram that is set at most once. `AtomicLazyReference` offers the same, but the compiler
    /// does not inline it.
    private final class Slot: Sendable {
        private let reference = Atomic<Unmanaged<Histogram>?>(nil)

        var histogram: Histogram? {
            reference.load(ordering: .acquiring)?.takeUnretainedValue()
        }

        /// Sets the histogram if there is none.
        /// - Returns: the histogram that is now set.
        func store(_ new: Histogram) -> Histogram {
            let pointer = Unmanaged.passRetained(new)
            let (isStored, present) = reference.compareExchange(
                expected: nil, desired: pointer, ordering: .acquiringAndReleasing)
            if isStored { return new }
            pointer.release()
            return present?.takeUnretainedValue() ?? new
        }

        deinit { reference.load(ordering: .acquiring)?.release() }
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
        return slot.histogram ?? slot.store(Histogram(buckets))
    }

    /// The histograms that have values, with their indices.
    public var histograms: [(index: Int, histogram: Histogram)] {
        slots.enumerated().compactMap { index, slot in
            slot.histogram.map { (index, $0) }
        }
    }
}
