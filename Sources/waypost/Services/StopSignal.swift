import Dispatch
import Foundation
import Logging
import MicrohttpdServer
import ServiceLifecycle
import Sessions
import Synchronization
import WaypostAPI
import WaypostCore

/// The signals that stop the service, from the moment that this is made. A second one ends the process
/// at once: whoever sends it will not wait.
final class StopSignal: Sendable {
    /// The name of the first signal.
    private let signals: AsyncStream<String>
    /// Kept, so that they go on listening.
    private let sources: Mutex<[any DispatchSourceSignal]>

    init() {
        let (signals, continuation) = AsyncStream.makeStream(of: String.self)
        self.signals = signals
        let count = SignalCount()
        var sources = [(SIGTERM, "SIGTERM"), (SIGINT, "SIGINT"), (SIGQUIT, "SIGQUIT")].map {
            number, name in
            listen(to: number) {
                // The status that a shell gives for a process that a signal has ended.
                if count.increment() > 1 { _exit(128 + number) }
                continuation.yield(name)
            }
        }
        // A terminal that is closed. It often comes twice, from the system and from the shell, so that a
        // second one means nothing; and under nohup it is not to be heard.
        if !isIgnored(SIGHUP) {
            sources.append(listen(to: SIGHUP) { continuation.yield("SIGHUP") })
        }
        self.sources = Mutex(sources)
    }

    /// - Returns: the name of the signal; nil if the task is cancelled.
    func wait() async -> String? {
        for await name in signals { return name }
        return nil
    }
}

/// The signals that other programs take as orders and that mean nothing here: SIGUSR1 and SIGUSR2. They
/// would end the process; instead, the log has them.
final class IgnoredSignals: Sendable {
    /// Kept, so that they go on listening.
    private let sources: Mutex<[any DispatchSourceSignal]>

    init(_ logger: Logger) {
        let sources = [(SIGUSR1, "SIGUSR1"), (SIGUSR2, "SIGUSR2")].map { number, name in
            listen(to: number) {
                logger.notice("a signal was ignored", metadata: ["signal": "\(name)"])
            }
        }
        self.sources = Mutex(sources)
    }
}

/// Calls `handle` for each signal of a kind from now on, instead of what the signal would do.
private func listen(
    to number: Int32, _ handle: @escaping @Sendable () -> Void
) -> any DispatchSourceSignal {
    let isListening = DispatchSemaphore(value: 0)
    // The default action would end the process before the source sees the signal.
    signal(number, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
    source.setEventHandler(handler: handle)
    source.setRegistrationHandler { isListening.signal() }
    source.resume()
    // Until then a signal would be ignored.
    isListening.wait()
    return source
}

private func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    guard sigaction(number, nil, &action) == 0 else { return false }
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
        == unsafeBitCast(SIG_IGN, to: Int.self)
}

private final class SignalCount: Sendable {
    private let count = Atomic(0)

    func increment() -> Int { count.add(1, ordering: .relaxed).newValue }
}

/// Waits for the signal to stop, and says so. As it ends, the other services are told to stop.
struct Draining: Service {
    let signal: StopSignal
    let readiness: Readiness
    let logger: Logger

    func run() async {
        let name = await signal.wait()
        readiness.drain()
        logger.notice("stopping", metadata: ["signal": "\(name ?? "none")"])
    }
}

/// A server that runs already. Told to stop, it finishes what runs.
struct ServerService: Service {
    let server: Server
    /// How long to wait for what runs, in milliseconds.
    let grace: Int

    func run() async {
        // It throws when the group is cancelled: that is a reason to stop, too.
        try? await gracefulShutdown()
        await withCheckedContinuation { continuation in
            // `stop` blocks, and joins the worker threads: neither a thread of the cooperative
            // pool nor one that an answer's task may have resumed on will do.
            Thread.detachNewThread { [server, grace] in
                server.stop(grace: grace)
                continuation.resume()
            }
        }
    }
}

/// Removes what has expired, in small steps with pauses, so that no request waits for it.
struct Purge: Service {
    let store: any SessionStore
    let environment: Environment
    let logger: Logger

    /// The time for which expired rows stay: a change that began just before must find its session.
    private static let delay = Duration.seconds(3600)

    func run() async {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                let mayHaveMore = await step()
                try? await Task.sleep(for: mayHaveMore ? .milliseconds(50) : .seconds(60))
            }
        }
    }

    private func step() async -> Bool {
        do {
            return try await store.purge(before: environment.now() + (.zero - Self.delay))
        } catch {
            // A store that fails says so at /readyz, too, and is asked again.
            logger.error("what has expired cannot be removed", metadata: ["cause": "\(error)"])
            return false
        }
    }
}
