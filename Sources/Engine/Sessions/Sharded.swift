import Synchronization

/// Values that are divided by session. Each session belongs to one shard, and each shard has its
/// own value and lock. Threads that use different sessions therefore rarely wait for the same lock.
struct Sharded<Value: Sendable>: Sendable {
    private final class Shard: Sendable {
        let value: Mutex<Value>

        init(_ value: Value) { self.value = Mutex(value) }
    }

    private let shards: [Shard]

    /// - Parameters:
    ///   - count: the number of shards, a power of two.
    ///   - value: the initial value of each shard.
    init(_ count: Int = 32, of value: Value) {
        shards = (0..<count).map { _ in Shard(value) }
    }

    func withShard<Output: Sendable>(
        for id: SessionID, _ body: (inout Value) -> Output
    ) -> Output {
        shards[id.part(of: shards.count)].value.withLock { body(&$0) }
    }

    /// Calls `body` with the value of each shard in turn, under the shard's lock, and returns the
    /// results.
    func map<Output: Sendable>(_ body: (inout Value) -> Output) -> [Output] {
        shards.map { shard in shard.value.withLock { body(&$0) } }
    }
}
