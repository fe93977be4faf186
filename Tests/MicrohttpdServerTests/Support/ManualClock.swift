import Synchronization

@testable import MicrohttpdServer

/// Time that goes by only when a test says so, however long the machine takes.
final class ManualClock: Sendable {
    private let start = SuspendingClock.now
    private let milliseconds = Atomic(0)

    var now: @Sendable () -> SuspendingClock.Instant {
        { self.start + .milliseconds(self.milliseconds.load(ordering: .relaxed)) }
    }

    /// Lets 20 milliseconds go by, and the server see it.
    func tick() {
        milliseconds.add(20, ordering: .relaxed)
    }
}

extension Server.Configuration {
    /// With the time of `clock`: for most tests it stands still, so that no deadline passes while they
    /// wait for a thread.
    static func with(_ clock: ManualClock = ManualClock(), _ change: (inout Self) -> Void) -> Self {
        var configuration = Self()
        configuration.now = clock.now
        change(&configuration)
        return configuration
    }
}
