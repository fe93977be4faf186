import Dispatch
import Foundation
import Synchronization

/// SIGTERM or SIGINT, from the moment that this is made. The second one ends the process at once:
/// whoever sends it will not wait.
final class StopSignal: Sendable {
    /// The name of the first signal.
    private let signals: AsyncStream<String>
    /// Kept, so that they go on listening.
    private let sources: Mutex<[any DispatchSourceSignal]>

    init() {
        let (signals, continuation) = AsyncStream.makeStream(of: String.self)
        self.signals = signals
        let count = SignalCount()
        let isListening = DispatchSemaphore(value: 0)
        let sources = [(SIGTERM, "SIGTERM"), (SIGINT, "SIGINT")].map { number, name in
            // The default action would end the process before the source sees the signal.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                // As a shell says it of a process that a signal has ended.
                if count.increment() > 1 { _exit(128 + number) }
                continuation.yield(name)
            }
            source.setRegistrationHandler { isListening.signal() }
            source.resume()
            // Until then a signal would be ignored.
            isListening.wait()
            return source
        }
        self.sources = Mutex(sources)
    }

    /// - Returns: the name of the signal; nil if the task is cancelled.
    func wait() async -> String? {
        for await name in signals { return name }
        return nil
    }
}

private final class SignalCount: Sendable {
    private let count = Atomic(0)

    func increment() -> Int { count.add(1, ordering: .relaxed).newValue }
}
