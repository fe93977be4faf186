import Dispatch

extension DispatchGroup {
    /// Waits until the group has no entry.
    package func end() async {
        await withCheckedContinuation { continuation in
            notify(queue: .global()) { continuation.resume() }
        }
    }
}
