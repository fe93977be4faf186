import Synchronization

@testable import MicrohttpdServer

/// A clock that advances only when a test says so, regardless of the speed of the machine.
final class ManualClock: Sendable {
    private let start = SuspendingClock.now
    private let milliseconds = Atomic(0)

    var now: @Sendable () -> SuspendingClock.Instant {
        { self.start + .milliseconds(self.milliseconds.load(ordering: .relaxed)) }
    }

    /// Advances the clock by 20 milliseconds.
    func tick() {
        milliseconds.add(20, ordering: .relaxed)
    }
}

extension Server.Configuration {
    /// Returns a configuration with the time of `clock`. In most tests the clock
    /// stands still, so that no deadline passes while they wait for a thread.
    static func with(_ clock: ManualClock = ManualClock(), _ change: (inout Self) -> Void) -> Self {
        var configuration = Self()
        configuration.now = clock.now
        change(&configuration)
        return configuration
    }
}
