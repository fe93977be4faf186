import Dispatch

/// Runs the tasks of HTTP requests on Dispatch's global queue.
///
/// A task that `Task.immediate` starts runs on the calling thread until its first suspension. After
/// that, this executor runs the task. A thread that resumes the task, such as a thread of the
/// session store, can thus continue its own work. The executor uses Dispatch because Dispatch
/// starts more threads when some are blocked, unlike the thread pool of Swift concurrency.
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
    /// Starts the task of an HTTP request on the calling thread. After its first suspension, the
    /// task runs on `RequestExecutor`.
    @discardableResult
    public static func request(
        _ work: @escaping @Sendable () async -> Success
    ) -> Task<Success, Never> {
        .immediate(executorPreference: RequestExecutor.shared, operation: work)
    }
}
