import Dispatch
import Glibc
import Synchronization

/// Runs the work of one session, one piece at a time and in the order in which it came.
///
/// Work that comes through `run` runs on the calling thread while the session is idle: most requests
/// need neither a task nor another thread. Work that comes while other work runs is appended, and the
/// thread that is running runs it, in a loop. Jobs of tasks run on a thread of Dispatch's pool, so that
/// neither the store's thread nor a hashing thread, which resume them, does the work of a session.
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
    /// The thread that runs the session's work; 0 if none does.
    private let thread = Atomic<UInt>(0)

    /// Runs `work` before it returns if the session is idle, else on the thread that is running, after
    /// what came before.
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

    /// - Returns: whether the caller has to run the work; if not, it waits.
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
                // Before another thread may begin.
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

    // Lets `assumeIsolated` be called in what `run` runs, where there is no task.

    func isIsolatingCurrentContext() -> Bool? {
        thread.load(ordering: .relaxed) == UInt(pthread_self())
    }

    func checkIsolated() {
        precondition(isIsolatingCurrentContext() == true, "not on the session's executor")
    }
}
