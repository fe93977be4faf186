import Glibc
import HTTPCore
import Synchronization

/// The exchanges whose request has come whole, until their answer is sent, so that a stop can wait
/// for them.
final class ExchangeRegistry: Sendable {
    private struct State {
        var exchanges: [ObjectIdentifier: Exchange] = [:]
        var isClosed = false
    }

    private let state = Mutex(State())

    /// - Returns: false if all have been abandoned: there is to be no other answer any more.
    func add(_ exchange: Exchange) -> Bool {
        state.withLock { state in
            guard !state.isClosed else { return false }
            state.exchanges[ObjectIdentifier(exchange)] = exchange
            return true
        }
    }

    func remove(_ exchange: Exchange) {
        _ = state.withLock { $0.exchanges.removeValue(forKey: ObjectIdentifier(exchange)) }
    }

    /// Blocks until no exchange is under way, or the time is over.
    func waitUntilEmpty(milliseconds: Int) {
        let end = ContinuousClock.now + .milliseconds(milliseconds)
        while !state.withLock({ $0.exchanges.isEmpty }), ContinuousClock.now < end { usleep(1000) }
    }

    /// Answers all that still have no answer with 503, and takes no more. From then on nothing is
    /// suspended: libmicrohttpd would abort the process when it is stopped.
    func abandonAll() {
        let abandoned = state.withLock { state in
            state.isClosed = true
            return Array(state.exchanges.values)
        }
        for exchange in abandoned { exchange.abandon() }
    }
}
