import Synchronization

/// An asynchronous lock for each key: a task that comes with a key that another one holds waits for it.
final class KeyedLock<Key: Hashable & Sendable>: Sendable {
    /// The tasks that wait, by the keys that are held.
    private let waiting = Mutex<[Key: [CheckedContinuation<Void, Never>]]>([:])

    /// Runs `work` while no other task does so with the same key. Tasks come in their order.
    func withLock<Value, Failure: Error>(
        _ key: Key, _ work: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        await lock(key)
        defer { unlock(key) }
        return try await work()
    }

    private func lock(_ key: Key) async {
        if waiting.withLock({ Self.isFree(key, &$0) }) { return }
        await withCheckedContinuation { continuation in
            // The key may have become free in the meantime.
            let isFree = waiting.withLock { waiting in
                if Self.isFree(key, &waiting) { return true }
                waiting[key]?.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    /// Takes the key if it is free.
    private static func isFree(
        _ key: Key, _ waiting: inout [Key: [CheckedContinuation<Void, Never>]]
    ) -> Bool {
        guard waiting[key] == nil else { return false }
        waiting[key] = []
        return true
    }

    /// Hands the key to the task that waits longest.
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
