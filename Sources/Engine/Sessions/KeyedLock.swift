import Synchronization

/// A set of asynchronous locks, one for each key. A task suspends while another task holds the lock
/// of the same key.
package final class KeyedLock<Key: Hashable & Sendable>: Sendable {
    /// The tasks that wait for the lock of each key. A key without an entry is not locked.
    private let waiting = Mutex<[Key: [CheckedContinuation<Void, Never>]]>([:])

    package init() {}

    /// Runs `work` while the caller holds the lock of this key. Tasks get the lock in the order of
    /// their calls.
    package func withLock<Value, Failure: Error>(
        _ key: Key, _ work: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        await lock(key)
        defer { unlock(key) }
        return try await work()
    }

    private func lock(_ key: Key) async {
        if waiting.withLock({ Self.isFree(key, &$0) }) { return }
        await withCheckedContinuation { continuation in
            // The lock may have been released since the first attempt.
            let isFree = waiting.withLock { waiting in
                if Self.isFree(key, &waiting) { return true }
                waiting[key]?.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    /// Takes the lock of a key if it is free.
    /// - Returns: true if the caller now holds the lock; false if another task holds it.
    private static func isFree(
        _ key: Key, _ waiting: inout [Key: [CheckedContinuation<Void, Never>]]
    ) -> Bool {
        guard waiting[key] == nil else { return false }
        waiting[key] = []
        return true
    }

    /// Passes the lock to the task that has waited longest, or releases it if no task waits.
    private func unlock(_ key: Key) {
        let next = waiting.withLock { waiting -> CheckedContinuation<Void, Never>? in
            guard var tasks = waiting[key], !tasks.isEmpty else {
                waiting[key] = nil
                return nil
            }
            let next = tasks.removeFirst()
            waiting[key] = tasks
            return next
        }
        next?.resume()
    }
}
