import Dispatch
import Glibc
import Synchronization

/// Runs the work of one session, one piece at a time and in the order of arrival.
///
/// A closure given to `run` runs on the calling thread if the session is idle, so that most requests
/// need neither a task nor another thread. If other work is running, the closure is appended, and the
/// running thread runs it later. A task's job that finds the session idle runs on a thread of
/// Dispatch's pool: the store's thread and the hashing threads resume tasks, and should not do a
/// session's work.
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
    /// The thread that runs the session's work; 0 if the session is idle.
    private let thread = Atomic<UInt>(0)

    /// Runs `work` before this method returns if the session is idle; else the thread that runs the
    /// session's work runs `work` after all earlier work.
    func run(_ work: @escaping @Sendable () -> Void) {
        guard begins(with: .closure(work)) else { return }
        thread.store(UInt(pthread_self()), ordering: .relaxed)
        work()
        runWaiting()
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

    /// Starts running, or appends the work if other work is running.
    /// - Returns: true if the caller has to run the work; false if it was appended.
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
