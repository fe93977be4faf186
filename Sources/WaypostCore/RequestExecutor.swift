import Dispatch

/// Runs the tasks of requests on Dispatch's global queue.
///
/// A task that is created with `Task.immediate` runs on the calling thread until it has to wait for
/// something; this executor runs the rest. The thread that resumes it, such as the store's or one that
/// hashes passwords, is free for the next caller. Dispatch starts more threads when some are blocked,
/// which the concurrency runtime's pool does not.
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
    /// Starts the work of a request on the calling thread, see `RequestExecutor`.
    @discardableResult
    public static func request(
        _ work: @escaping @Sendable () async -> Success
    ) -> Task<Success, Never> {
        .immediate(executorPreference: RequestExecutor.shared, operation: work)
    }
}
