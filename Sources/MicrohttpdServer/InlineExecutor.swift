/// Runs every job at once, on the thread that brings it.
///
/// An answer that has nothing to wait for is then complete when the task's creation returns: the
/// connection need not be suspended, and no thread is switched to.
final class InlineExecutor: TaskExecutor {
    static let shared = InlineExecutor()

    func enqueue(_ job: consuming ExecutorJob) {
        job.runSynchronously(on: asUnownedTaskExecutor())
    }
}
