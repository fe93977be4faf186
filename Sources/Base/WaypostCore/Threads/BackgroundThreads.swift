import Foundation
import Synchronization

/// A pool of low-priority threads for work that takes milliseconds of CPU time. Such work would
/// delay other requests if it ran on Swift's cooperative thread pool or on a worker thread of the
/// server. The clients whose work waits for a thread take turns.
package final class BackgroundThreads: Sendable {
    package typealias Owner = FairQueue<Work>.Owner
    package typealias Limits = FairQueue<Work>.Limits
    package typealias Refusal = FairQueue<Work>.Refusal

    /// A piece of work in the queue. Exactly one of its two closures is called, and only once:
    /// `run` on a thread of the pool, or `refuse` if the queue rejects the work.
    package struct Work: Sendable {
        fileprivate let run: @Sendable () -> Void
        fileprivate let refuse: @Sendable (Refusal) -> Void
    }

    private let queue: Queue
    private let count: Int

    /// Starts the threads.
    /// - Parameter limits: the maximum numbers of pieces of work that may wait for a thread.
    package init(count: Int, limits: Limits) {
        self.count = count
        queue = Queue(limits)
        for _ in 0..<count {
            let thread = Thread { [queue] in
                // On Linux this call lowers the priority of this thread only, so that threads that
                // send responses come first.
                setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 19)
                while let work = queue.next() { work.run() }
            }
            thread.start()
        }
    }

    deinit {
        queue.stop(threads: count)
    }

    /// Runs `work` on one of the threads and returns its result.
    package func run<Result: Sendable>(
        of owner: Owner, _ work: @escaping @Sendable () -> Result
    ) async throws(Refusal) -> Result {
        try await withCompletion { completion in
            let work = Work(
                run: { completion(.success(work())) }, refuse: { completion(.failure($0)) })
            guard let refused = queue.append(work, of: owner) else { return }
            refused.work.refuse(refused.reason)
        }
    }

    /// The queue of work that waits for a thread.
    private final class Queue: Sendable {
        private let waiting: Mutex<FairQueue<Work>>
        /// The semaphore on which idle threads wait. Its count is the number of waiting pieces of
        /// work, plus one for each thread that must end.
        private let wake = DispatchSemaphore(value: 0)

        init(_ limits: Limits) { waiting = Mutex(FairQueue(limits)) }

        /// Adds work to the queue; see `FairQueue.append`.
        func append(_ work: Work, of owner: Owner) -> (work: Work, reason: Refusal)? {
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
