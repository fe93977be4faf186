import Synchronization

@testable import MicrohttpdServer

/// A clock that advances only when a test says so, regardless of the speed of the machine.
final class ManualClock: Sendable {
    private let milliseconds = Atomic<UInt64>(0)

    var now: @Sendable () -> UInt64 {
        { self.milliseconds.load(ordering: .relaxed) }
    }

    /// Advances the clock by 20 milliseconds.
    func tick() {
        milliseconds.add(20, ordering: .relaxed)
    }
}

extension Server.Configuration {
    /// Returns a configuration with a free port and the time of `clock`. In most tests the clock
    /// stands still, so that no deadline passes while they wait for a thread.
    static func with(_ clock: ManualClock = ManualClock(), _ change: (inout Self) -> Void) -> Self {
        var configuration = Self()
        configuration.port = 0
        configuration.now = clock.now
        change(&configuration)
        return configuration
    }
}
