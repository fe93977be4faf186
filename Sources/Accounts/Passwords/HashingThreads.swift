import Foundation
import Metrics
import Synchronization

/// A few threads of their own for work that takes tens of milliseconds of a core: on the
/// cooperative pool or a server's worker it would hold up everybody else.
final class HashingThreads: Sendable {
    private let queue: WorkQueue
    private let count: Int
    private let metrics: HashingMetrics

    /// - Parameter queueLimit: how many may wait for a thread.
    init(count: Int, queueLimit: Int, metrics: HashingMetrics = HashingMetrics()) {
        self.count = count
        self.metrics = metrics
        queue = WorkQueue(limit: queueLimit)
        for _ in 0..<count {
            let thread = Thread { [queue, metrics] in
                // Of this thread alone, on Linux: whoever has an answer to give comes first.
                setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 19)
                while let work = queue.next() {
                    metrics.waiting.subtract()
                    metrics.duration.record(ContinuousClock().measure(work))
                }
            }
            thread.start()
        }
    }

    deinit {
        queue.stop(threads: count)
    }

    /// - Throws: `.busy` if too many wait already.
    func run<Result: Sendable>(
        _ work: @escaping @Sendable () -> Result
    ) async throws(AccountError) -> Result {
        let result: Result? = await withCheckedContinuation { continuation in
            metrics.waiting.add()
            let isTaken = queue.append { continuation.resume(returning: work()) }
            if !isTaken {
                metrics.waiting.subtract()
                continuation.resume(returning: nil)
            }
        }
        guard let result else { throw .busy }
        return result
    }
}

/// Work that waits for a thread, first come first served.
private final class WorkQueue: Sendable {
    private let limit: Int
    private let waiting = Mutex<[@Sendable () -> Void]>([])
    /// Counts what waits, and one for each thread that is to end.
    private let wake = DispatchSemaphore(value: 0)

    init(limit: Int) { self.limit = limit }

    /// - Returns: false if the queue is full.
    func append(_ work: @escaping @Sendable () -> Void) -> Bool {
        let isTaken = waiting.withLock { waiting in
            guard waiting.count < limit else { return false }
            waiting.append(work)
            return true
        }
        if isTaken { wake.signal() }
        return isTaken
    }

    /// Blocks until there is work.
    /// - Returns: nil when the thread is to end.
    func next() -> (@Sendable () -> Void)? {
        wake.wait()
        return waiting.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }

    func stop(threads: Int) {
        for _ in 0..<threads { wake.signal() }
    }
}
