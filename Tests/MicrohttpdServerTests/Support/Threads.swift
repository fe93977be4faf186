import Foundation

/// A number that no other living thread has.
func currentThread() -> UInt { pthread_self() }

/// Resumes on a new thread. The cooperative pool may be busy with tests that wait for an answer.
func goElsewhere() async {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume() }
    }
}
