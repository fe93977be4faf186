import Glibc
import HTTPCore
import Synchronization

/// What the C callbacks reach: outlives the daemon.
final class ServerCore: Sendable {
    /// The limits, as the callbacks need them.
    struct Limits: Sendable {
        let requests: Int
        let bodySize: Int
        let head: HeadLimits
        /// Nil allows all.
        let allowedHosts: AllowedHosts?
        // In milliseconds
        let header, body, answer, send, keepAlive: UInt64
        /// In bytes a second: who takes an answer more slowly is cut off in the end.
        let slowestRate: UInt64
    }

    let handler: any RequestHandler
    let limits: Limits
    let connections: ConnectionRegistry
    /// False from the stop on: new connections are closed, and so is each one with its next answer.
    let isAccepting = Atomic(true)
    /// All requests without an answer have been given up: nothing may be suspended any more.
    let isClosed = Atomic(false)
    private let requests = Atomic(0)

    init(_ configuration: Server.Configuration, handler: any RequestHandler) {
        self.handler = handler
        connections = ConnectionRegistry(configuration)
        limits = Limits(
            requests: configuration.maximumRequests, bodySize: configuration.maximumBodySize,
            head: HeadLimits(maximumSize: configuration.maximumHeaderSize),
            allowedHosts: configuration.allowedHosts,
            header: configuration.headerTimeout.milliseconds,
            body: configuration.bodyTimeout.milliseconds,
            answer: configuration.answerTimeout.milliseconds,
            send: configuration.sendTimeout.milliseconds,
            keepAlive: configuration.keepAliveTimeout.milliseconds,
            slowestRate: configuration.slowestRate)
    }

    /// - Returns: false if too many requests are worked on. If true, `endRequest` is to follow.
    func beginRequest() -> Bool {
        guard requests.add(1, ordering: .relaxed).oldValue < limits.requests else {
            endRequest()
            return false
        }
        return true
    }

    /// The work on a request has ended, whether or not somebody still waits for it.
    func endRequest() {
        requests.subtract(1, ordering: .relaxed)
    }

    /// Blocks until no request is being answered, or the time is over.
    func waitUntilAnswered(milliseconds: Int) {
        let end = ContinuousClock.now + .milliseconds(milliseconds)
        while connections.isBusy, ContinuousClock.now < end { usleep(1000) }
    }

    /// Answers all that still have no answer with 503. From then on nothing is suspended:
    /// libmicrohttpd would abort the process when it is stopped.
    func abandonAll() {
        isClosed.store(true, ordering: .releasing)
        // Which asks for each one's lock: whoever begins after that sees that all is closed.
        for connection in connections.all { connection.exchange?.abandon() }
    }
}
