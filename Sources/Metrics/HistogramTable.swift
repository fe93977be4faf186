import Synchronization

/// Histograms by two labels or more, each made when its first value comes: most combinations never
/// come. Then recording takes no lock and allocates nothing.
public final class HistogramTable: Sendable {
    private final class Place: Sendable {
        let histogram = AtomicLazyReference<Histogram>()
    }

    private let buckets: Buckets
    private let places: [Place]

    /// - Parameter count: how many combinations there are.
    public init(_ buckets: Buckets, count: Int) {
        self.buckets = buckets
        places = (0..<count).map { _ in Place() }
    }

    public func record(_ duration: Duration, at index: Int) {
        histogram(at: index).record(duration)
    }

    private func histogram(at index: Int) -> Histogram {
        let place = places[index]
        return place.histogram.load() ?? place.histogram.storeIfNil(Histogram(buckets))
    }

    /// Those that have values.
    public var histograms: [(index: Int, histogram: Histogram)] {
        places.enumerated().compactMap { index, place in
            place.histogram.load().map { (index, $0) }
        }
    }
}
