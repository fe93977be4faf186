import Dispatch
import Foundation
import Logging
import MicrohttpdServer
import Synchronization

/// Receives signals from its creation on. SIGTERM, SIGINT and SIGQUIT stop the service. A second of
/// these signals ends the process at once, because its sender does not want to wait. SIGHUP stops
/// the service if the service's terminal was closed; otherwise it asks the service to load its
/// files again.
final class StopSignal: Sendable {
    /// The names of the received signals that stop the service.
    private let signals: AsyncStream<String>
    /// Yields an element when a SIGHUP asks the service to load its files again.
    let reloads: AsyncStream<Void>
    /// The signal sources, which deliver signals only while they are referenced.
    private let sources: Mutex<[any DispatchSourceSignal]>

    init() {
        let (signals, continuation) = AsyncStream.makeStream(of: String.self)
        self.signals = signals
        // Several signals that arrive while the files are being loaded cause one further reload.
        let (reloads, reloading) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.reloads = reloads
        let count = SignalCount()
        var sources = [(SIGTERM, "SIGTERM"), (SIGINT, "SIGINT"), (SIGQUIT, "SIGQUIT")].map {
            number, name in
            listen(to: number) {
                // A shell reports this status for a process that a signal has ended.
                if count.increment() > 1 { _exit(128 + number) }
                continuation.yield(name)
            }
        }
        // The command `nohup` makes the process ignore SIGHUP. SIGHUP then stays ignored.
        if !isIgnored(SIGHUP) {
            let hadTerminal = EarlySignals.hadTerminal
            let hangUp: @Sendable () -> Void = {
                // When a terminal is closed, the system and the shell often send one SIGHUP each. A
                // second SIGHUP therefore does not end the process.
                if hadTerminal, !hasTerminal() {
                    continuation.yield("SIGHUP")
                } else {
                    reloading.yield()
                }
            }
            sources.append(listen(to: SIGHUP, hangUp))
            if EarlySignals.takeHangUp() { hangUp() }
        }
        self.sources = Mutex(sources)
    }

    /// Waits for the first signal that stops the service.
    /// - Returns: the name of the signal; nil if the task is cancelled.
    func wait() async -> String? {
        for await name in signals { return name }
        return nil
    }

    /// Logs SIGUSR1 and SIGUSR2, which have no meaning for this service, from now on. By default
    /// they would end the process.
    func logIgnoredSignals(_ logger: Logger) {
        sources.withLock { sources in
            for (number, name) in [(SIGUSR1, "SIGUSR1"), (SIGUSR2, "SIGUSR2")] {
                let source = listen(to: number) {
                    logger.notice("a signal was ignored", metadata: ["signal": "\(name)"])
                }
                sources.append(source)
            }
        }
    }
}

/// The signals that arrive before `StopSignal` receives them. They would end the process.
enum EarlySignals {
    /// Whether the process has started with a terminal.
    static let hadTerminal = hasTerminal()
    private static let hasHangUp = Atomic(false)

    /// Ignores early SIGUSR1 and SIGUSR2, and notes a SIGHUP.
    static func hold() {
        for number in [SIGUSR1, SIGUSR2] { signal(number, SIG_IGN) }
        // The handler of a signal must not be the first that uses these variables.
        _ = (hadTerminal, takeHangUp())
        guard !isIgnored(SIGHUP) else { return }
        signal(SIGHUP) { _ in EarlySignals.hasHangUp.store(true, ordering: .relaxed) }
    }

    /// Returns whether a SIGHUP has arrived since `hold()` that was not taken yet.
    static func takeHangUp() -> Bool { hasHangUp.exchange(false, ordering: .relaxed) }
}

/// Calls `handle` whenever the process receives a signal, in place of the signal's present action.
/// Returns when the handler is active, so that no later signal is lost.
/// - Parameter number: the number of the signal.
/// - Returns: the signal source, which delivers signals only while it is referenced.
private func listen(
    to number: Int32, _ handle: @escaping @Sendable () -> Void
) -> any DispatchSourceSignal {
    let isListening = DispatchSemaphore(value: 0)
    let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
    source.setEventHandler(handler: handle)
    source.setRegistrationHandler { isListening.signal() }
    source.resume()
    // Signals that arrive before the registration would be lost.
    isListening.wait()
    return source
}

/// Returns whether the process has a controlling terminal that is still open.
private func hasTerminal() -> Bool {
    let descriptor = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
    if descriptor >= 0 { close(descriptor) }
    return descriptor >= 0
}

/// Returns whether the process ignores a signal, as after `nohup`.
func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    guard sigaction(number, nil, &action) == 0 else { return false }
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
        == unsafeBitCast(SIG_IGN, to: Int.self)
}

private final class SignalCount: Sendable {
    private let count = Atomic(0)

    func increment() -> Int { count.add(1, ordering: .relaxed).newValue }
}

extension Server {
    /// Completes the requests in progress and stops, see `stop`.
    /// - Parameter grace: the maximum time to wait for the requests, in milliseconds.
    func stopWithoutBlocking(grace: Int) async {
        await withCheckedContinuation { continuation in
            // `stop` blocks and joins the worker threads. It must therefore run neither on a thread
            // of the cooperative pool nor on a worker thread, on which the task may have resumed.
            Thread.detachNewThread { [self] in
                stop(grace: grace)
                continuation.resume()
            }
        }
    }
}
