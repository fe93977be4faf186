import Foundation
import Synchronization

/// A pool of low-priority threads for work that takes milliseconds of CPU time. Such work would
/// delay other requests if it ran on Swift's cooperative thread pool or on a worker thread of the
/// server. The clients whose work waits for a thread take turns.
package final class BackgroundThreads: Sendable {
    /// A piece of work in the queue. It is called exactly once: with nil on a thread of the pool, or
    /// with the reason if the queue rejects it.
    private typealias Work = @Sendable (WorkRefusal?) -> Void

    private let queue: Queue
    private let count: Int

    /// Starts the threads.
    /// - Parameter limits: the maximum numbers of pieces of work that may wait for a thread.
    package init(count: Int, limits: WorkLimits) {
        self.count = count
        queue = Queue(limits)
        for _ in 0..<count {
            let thread = Thread { [queue] in
                // On Linux this call lowers the priority of this thread only, so that threads that
                // send responses come first.
                setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 19)
                while let work = queue.next() { work(nil) }
            }
            thread.start()
        }
    }

    deinit {
        queue.stop(threads: count)
    }

    /// Runs `work` on one of the threads and returns its result.
    package func run<Result: Sendable>(
        of owner: WorkOwner, _ work: @escaping @Sendable () -> Result
    ) async throws(WorkRefusal) -> Result {
        try await withCompletion { completion in
            let refused = queue.append(
                { completion($0.map { .failure($0) } ?? .success(work())) }, of: owner)
            if let refused { refused.work(refused.reason) }
        }
    }

    /// The queue of work that waits for a thread.
    private final class Queue: Sendable {
        private let waiting: Mutex<FairQueue<Work>>
        /// The semaphore on which idle threads wait. Its count is the number of waiting pieces of
        /// work, plus one for each thread that must end.
        private let wake = DispatchSemaphore(value: 0)

        init(_ limits: WorkLimits) { waiting = Mutex(FairQueue(limits)) }

        /// Adds work to the queue; see `FairQueue.append`.
        func append(
            _ work: @escaping Work, of owner: WorkOwner
        ) -> (work: Work, reason: WorkRefusal)? {
            let refused = waiting.withLock { $0.append(work, of: owner) }
            // Otherwise, the number of pieces is the same as before.
            if refused == nil { wake.signal() }
            return refused
        }

        /// Waits until there is work in the queue. Removes the next piece of work and returns it.
        /// - Returns: nil if the calling thread must end.
        func next() -> Work? {
            wake.wait()
            return waiting.withLock { $0.next() }
        }

        func stop(threads: Int) {
            for _ in 0..<threads { wake.signal() }
        }
    }
}
