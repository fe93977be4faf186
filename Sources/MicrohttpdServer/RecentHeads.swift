import Synchronization

/// The heads that come again and again to one worker: from whoever polls, or goes to and fro.
///
/// Its lock is the worker's nearly always.
final class RecentHeads: Sendable {
    private struct Place {
        var head: KnownHead?
        /// Of the last head that was read here: one is kept when its key comes a second time.
        var key: UInt64 = 0
    }

    /// In milliseconds: all are forgotten as often.
    static let lifetime: UInt64 = 60_000

    private let places: Mutex<[Place]>

    /// - Returns: how many each worker keeps: 8192 of all, or some more where there are many workers.
    static func count(workers: Int) -> Int {
        var count = 4096
        while count > 512, count * workers > 8192 { count /= 2 }
        return count
    }

    /// - Parameter count: how many are kept at most; a power of two.
    init(count: Int) {
        precondition(count.nonzeroBitCount == 1)
        places = Mutex(Array(repeating: Place(), count: count))
    }

    func head(_ key: UInt64, where isSought: (KnownHead) -> Bool) -> KnownHead? {
        places.withLock { places in
            let head = places[Self.index(key, places.count)].head
            return head.flatMap { isSought($0) ? $0 : nil }
        }
    }

    /// A head was read.
    /// - Parameter makeHead: called if it is to be kept.
    func note(_ key: UInt64, _ makeHead: () -> KnownHead?) {
        places.withLock { places in
            let index = Self.index(key, places.count)
            if places[index].key == key {
                places[index].head = makeHead()
            } else {
                places[index].key = key
            }
        }
    }

    /// Heads bear tokens: none stays for long.
    func forgetAll() {
        // Handed out: thousands of objects are not let go of under the lock.
        _ = places.withLock { places in
            let old = places
            places = Array(repeating: Place(), count: old.count)
            return old
        }
    }

    private static func index(_ key: UInt64, _ count: Int) -> Int {
        Int(truncatingIfNeeded: key) & (count - 1)
    }
}
