import Foundation

/// Returns a number that identifies the calling thread among the living threads.
func currentThread() -> UInt { pthread_self() }

/// Resumes the task on a new thread, because the threads of the cooperative pool may all be busy
/// with tests that wait for a response.
func goElsewhere() async {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume() }
    }
}
