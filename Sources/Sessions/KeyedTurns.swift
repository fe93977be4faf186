import Synchronization

/// Turns by key: whoever comes with a key that is taken waits.
final class KeyedTurns<Key: Hashable & Sendable>: Sendable {
    private let turns = Mutex<[Key: Turns]>([:])

    func take(_ key: Key) async {
        _ = await withCheckedContinuation { continuation in
            let isFree = turns.withLock { turns in
                if turns[key, default: Turns()].takeIfFree() { return true }
                turns[key]?.wait(continuation)
                return false
            }
            if isFree { continuation.resume(returning: true) }
        }
    }

    func end(_ key: Key) {
        let next = turns.withLock { turns in
            let next = turns[key]?.end()
            if next == nil { turns[key] = nil }
            return next
        }
        next?.resume(returning: true)
    }
}
