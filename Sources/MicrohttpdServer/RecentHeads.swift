import Synchronization

/// The heads that come again and again to one worker: from whoever polls, or goes to and fro.
///
/// Its lock is the worker's nearly always.
final class RecentHeads: Sendable {
    private struct Place {
        var head: KnownHead?
        /// The key of the last one that was not kept: a head is kept when it comes a second time.
        var key: UInt64 = 0
    }

    private let places: Mutex<[Place]>

    /// - Parameter count: how many are kept at most; a power of two.
    init(count: Int) {
        places = Mutex(Array(repeating: Place(), count: count))
    }

    func head(_ key: UInt64, where isSought: (KnownHead) -> Bool) -> KnownHead? {
        places.withLock { places in
            let head = places[Self.index(key, places.count)].head
            return head.flatMap { isSought($0) ? $0 : nil }
        }
    }

    /// - Parameter makeHead: called if the head has come before.
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
        places.withLock { places in
            for index in places.indices { places[index] = Place() }
        }
    }

    private static func index(_ key: UInt64, _ count: Int) -> Int {
        Int(truncatingIfNeeded: key) & (count - 1)
    }
}
