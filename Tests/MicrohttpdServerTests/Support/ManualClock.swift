import Synchronization

@testable import MicrohttpdServer

/// Time that goes by only when a test says so, however long the machine takes.
final class ManualClock: Sendable {
    private let milliseconds = Atomic<UInt64>(0)

    var now: @Sendable () -> UInt64 {
        { self.milliseconds.load(ordering: .relaxed) }
    }

    /// Lets 20 milliseconds go by, and the server see it.
    func tick() {
        milliseconds.add(20, ordering: .relaxed)
    }
}

extension Server.Configuration {
    /// On a port that the system picks, with the time of `clock`.
    static func with(_ clock: ManualClock, _ change: (inout Self) -> Void) -> Self {
        .with {
            $0.now = clock.now
            change(&$0)
        }
    }
}
