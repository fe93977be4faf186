import Synchronization

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
