/// The upper bounds of a histogram's buckets.
public struct Buckets: Sendable {
    /// A histogram has this many buckets at most; the last one has no bound.
    static let limit = 16

    /// Ascending, in the unit that is recorded.
    let bounds: [Int]
    /// What is recorded, divided by this, is in the unit that Prometheus wants.
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
