import Dispatch

/// Runs the tasks of requests on Dispatch's global queue.
///
/// A task from `Task.immediate` runs on the calling thread until its first suspension; this executor
/// runs the rest. A thread that resumes the task, such as the store's thread or a hashing thread, can
/// thus continue its own work. Dispatch starts more threads when some are blocked, which the
/// concurrency runtime's pool does not.
public final class RequestExecutor: TaskExecutor {
    public static let shared = RequestExecutor()

    private init() {}

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        DispatchQueue.global().async {
            job.runSynchronously(on: self.asUnownedTaskExecutor())
        }
    }
}

extension Task where Failure == Never {
    /// Starts a request's task on the calling thread, see `RequestExecutor`.
    @discardableResult
    public static func request(
        _ work: @escaping @Sendable () async -> Success
    ) -> Task<Success, Never> {
        .immediate(executorPreference: RequestExecutor.shared, operation: work)
    }
}
