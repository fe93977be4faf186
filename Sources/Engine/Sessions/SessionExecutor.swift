import Dispatch
import Glibc
import Synchronization

/// Runs the work of one session, one piece at a time and in the order of arrival.
///
/// If the session is idle, `run` runs its closure on the calling thread, so that most requests need
/// neither a task nor another thread. If the session is busy, `run` adds the closure to a queue.
/// The thread that is running the session's work runs the closure later.
///
/// `enqueue` uses the same queue for the jobs of tasks. If the session is idle, the job runs on a
/// thread of Dispatch's pool. It does not run on the calling thread, which may be a thread of the
/// store or of password hashing and must stay free for its own work.
final class SessionExecutor: SerialExecutor {
    private enum Work: Sendable {
        case closure(@Sendable () -> Void)
        case job(UnownedJob)
    }

    private struct State {
        var isRunning = false
        var waiting: [Work] = []
    }

    private let state = Mutex(State())
    /// The id of the thread that runs the session's work (`pthread_self`); 0 if the session is
    /// idle.
    private let thread = Atomic<UInt>(0)

    /// Runs `work` before this method returns if the session is idle. If the session is busy, the
    /// thread that runs its work also runs `work`, after all earlier work.
    func run(_ work: @escaping @Sendable () -> Void) {
        guard begins(with: .closure(work)) else { return }
        thread.store(UInt(pthread_self()), ordering: .relaxed)
        work()
        runWaiting()
    }

    /// Runs `work` on the calling thread if the session is idle. Meanwhile other threads wait for
    /// the executor, so `work` must be short, and must not use the executor.
    /// - Returns: nil, without a call of `work`, if the session is busy.
    func runIfIdle<Value>(_ work: () -> Value) -> Value? {
        state.withLock { state in
            guard !state.isRunning else { return nil }
            thread.store(UInt(pthread_self()), ordering: .relaxed)
            defer { thread.store(0, ordering: .relaxed) }
            return work()
        }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        guard begins(with: .job(job)) else { return }
        DispatchQueue.global().async {
            self.thread.store(UInt(pthread_self()), ordering: .relaxed)
            self.run(.job(job))
            self.runWaiting()
        }
    }

    /// Marks the session as busy, or queues the work if the session is already busy.
    /// - Returns: true if the caller has to run the work; false if the work was queued.
    private func begins(with work: @autoclosure () -> Work) -> Bool {
        state.withLock { state in
            guard state.isRunning else {
                state.isRunning = true
                return true
            }
            state.waiting.append(work())
            return false
        }
    }

    private func runWaiting() {
        while true {
            let waiting = state.withLock { state -> [Work] in
                guard state.waiting.isEmpty else {
                    defer { state.waiting = [] }
                    return state.waiting
                }
                // The thread is cleared before `isRunning` is reset, because another thread may
                // start running work, and set its own number, right afterwards.
                thread.store(0, ordering: .relaxed)
                state.isRunning = false
                return []
            }
            guard !waiting.isEmpty else { return }
            for work in waiting { run(work) }
        }
    }

    private func run(_ work: Work) {
        switch work {
        case .closure(let work): work()
        case .job(let job): job.runSynchronously(on: asUnownedSerialExecutor())
        }
    }

    // These two methods let `assumeIsolated` work in closures given to `run`, which have no task.

    func isIsolatingCurrentContext() -> Bool? {
        thread.load(ordering: .relaxed) == UInt(pthread_self())
    }

    func checkIsolated() {
        precondition(isIsolatingCurrentContext() == true, "not on the session's executor")
    }
}
