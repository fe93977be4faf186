import Dispatch

/// Looks every now and then for connections whose time is over.
///
/// Sendable without a check: the timer is made, and cancelled, and not touched otherwise.
final class Reaper: @unchecked Sendable {
    private let queue = DispatchQueue(label: "waypost.reaper")
    private let timer: any DispatchSourceTimer

    /// - Parameter shortest: of all time limits. No limit is overdrawn by more than a tenth of it, or
    ///   by a second.
    init(_ connections: ConnectionRegistry, shortest: Duration) {
        timer = DispatchSource.makeTimerSource(queue: queue)
        let interval = Int(min(max(shortest.milliseconds / 10, 10), 1000))
        timer.schedule(
            deadline: .now() + .milliseconds(interval), repeating: .milliseconds(interval),
            leeway: .milliseconds(interval / 4))
        timer.setEventHandler { connections.endLate() }
        timer.resume()
    }

    /// After which no connection is ended any more.
    func stop() {
        timer.cancel()
        queue.sync {}
    }
}
