import Synchronization

/// Histograms by two labels or more, each made when its first value comes: most combinations never
/// come. Then recording takes no lock and allocates nothing.
public final class HistogramTable: Sendable {
    /// `AtomicLazyReference` would do, but is not inlined.
    private final class Slot: Sendable {
        private let reference = Atomic<Unmanaged<Histogram>?>(nil)

        var histogram: Histogram? {
            reference.load(ordering: .acquiring)?.takeUnretainedValue()
        }

        /// - Returns: the one that is there now.
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

    /// - Parameter count: how many combinations there are.
    public init(_ buckets: Buckets, count: Int) {
        self.buckets = buckets
        slots = (0..<count).map { _ in Slot() }
    }

    public func record(_ duration: Duration, at index: Int) {
        histogram(at: index).record(duration)
    }

    private func histogram(at index: Int) -> Histogram {
        let slot = slots[index]
        return slot.histogram ?? slot.store(Histogram(buckets))
    }

    /// The histograms that have values.
    public var histograms: [(index: Int, histogram: Histogram)] {
        slots.enumerated().compactMap { index, slot in
            slot.histogram.map { (index, $0) }
        }
    }
}
