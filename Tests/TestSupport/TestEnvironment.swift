import Synchronization
import WaypostCore

/// A clock that stands still until a test moves it, and chance that is the same on each run.
public final class TestEnvironment: Sendable {
    private let time = Mutex(Timestamp(milliseconds: 1_700_000_000_000))
    private let generator = Mutex(SeededGenerator(seed: 1))

    public init() {}

    public var now: Timestamp { time.withLock { $0 } }

    public func advance(by duration: Duration) {
        time.withLock { $0 = $0 + duration }
    }

    public var environment: Environment {
        Environment(
            now: { self.now }, random: { self.generator.withLock { $0.next() } })
    }

    /// The secret that the next call would make, if it makes one first of all.
    public func foresee(_ purpose: Secret.Purpose) -> Secret {
        let future = Mutex(generator.withLock { $0 })
        let environment = Environment(
            now: { self.now }, random: { future.withLock { $0.next() } })
        return Secret.make(for: purpose, environment)
    }
}
