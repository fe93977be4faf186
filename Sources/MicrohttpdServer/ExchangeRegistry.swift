import Glibc
import HTTPCore
import Synchronization

/// The exchanges that are under way, so that a stop can wait for them.
final class ExchangeRegistry: Sendable {
    private let exchanges = Mutex<[ObjectIdentifier: Exchange]>([:])

    func add(_ exchange: Exchange) {
        exchanges.withLock { $0[ObjectIdentifier(exchange)] = exchange }
    }

    func remove(_ exchange: Exchange) {
        _ = exchanges.withLock { $0.removeValue(forKey: ObjectIdentifier(exchange)) }
    }

    /// Blocks until no exchange is under way, or the time is over.
    func waitUntilEmpty(milliseconds: Int) {
        for _ in 0..<milliseconds where !exchanges.withLock({ $0.isEmpty }) {
            usleep(1000)
        }
    }

    /// Answers all that still have no answer with 503.
    func abandonAll() {
        let abandoned = exchanges.withLock { Array($0.values) }
        for exchange in abandoned { exchange.abandon() }
    }
}
