import Synchronization

/// Counts what happened. Recording takes no lock and allocates nothing.
public final class Counter: Sendable {
    private let count = Atomic(0)

    public init() {}

    public var value: Int { count.load(ordering: .relaxed) }

    public func increment(by amount: Int = 1) {
        count.add(amount, ordering: .relaxed)
    }
}
