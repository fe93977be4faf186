import Synchronization
import WaypostCore

/// The client for which a part of a session's history is read.
public struct HistoryReader: Sendable {
    /// The network address of the client; nil if unknown.
    let client: String?
    /// Returns whether nobody waits for the result any longer.
    let hasLeft: @Sendable () -> Bool

    public init(client: String?, hasLeft: @escaping @Sendable () -> Bool) {
        self.client = client
        self.hasLeft = hasLeft
    }

    /// A reader that waits for the result, however long it takes.
    public static let patient = HistoryReader(client: nil) { false }
}

/// Reads histories of sessions on a low-priority thread of its own, because a read of thousands
/// of changes takes hundreds of milliseconds.
///
/// A request divides its read into pieces of at most `pieceSize` changes. Between the pieces the clients
/// take turns, and a request whose client has left is given up.
public final class HistoryQueue: Sendable {
    /// The maximum number of requests in progress that read the history: of all clients, and of one
    /// client.
    static let total = 64
    static let perClient = 8
    /// The maximum number of changes in one piece of a read.
    public static let pieceSize = 250

    private struct State {
        var total = 0
        var counts: [String: Int] = [:]
        var isStopped = false
    }

    private let threads = BackgroundThreads(count: 1, limits: WorkLimits(total: .max))
    private let state = Mutex(State())

    /// Carries out a request that reads the history.
    /// - Throws: `.historyBusy` if too many such requests are in progress or all are given up; the
    ///   errors of `work`.
    func withPlace<Output>(
        for reader: HistoryReader,
        _ work: () async throws(SessionError) -> Output
    ) async throws(SessionError) -> Output {
        guard begin(reader.client) else { throw .historyBusy }
        defer { end(reader.client) }
        return try await work()
    }

    private func begin(_ client: String?) -> Bool {
        state.withLock { state in
            let own = client.map { state.counts[$0, default: 0] } ?? 0
            guard !state.isStopped, state.total < Self.total, own < Self.perClient else {
                return false
            }
            state.total += 1
            if let client { state.counts[client] = own + 1 }
            return true
        }
    }

    private func end(_ client: String?) {
        state.withLock { state in
            state.total -= 1
            guard let client, let own = state.counts[client] else { return }
            state.counts[client] = own > 1 ? own - 1 : nil
        }
    }

    /// Runs one piece of a request's work on the thread.
    /// - Throws: `.historyBusy` if the client has left or all requests are given up.
    func run<Output: Sendable>(
        for reader: HistoryReader, _ work: @escaping @Sendable () -> Output
    ) async throws(SessionError) -> Output {
        try checkWaits(reader)
        do {
            return try await threads.run(
                of: WorkOwner(client: reader.client, account: nil), work)
        } catch {
            // The queue of the pieces has no limit of its own, so that it rejects none.
            throw .historyBusy
        }
    }

    /// Checks that the result of a request is still wanted.
    /// - Throws: `.historyBusy` if it is not.
    func checkWaits(_ reader: HistoryReader) throws(SessionError) {
        if state.withLock(\.isStopped) || reader.hasLeft() { throw .historyBusy }
    }

    /// Gives up all requests at their next piece and refuses new ones, so that the service need not
    /// wait for them when it stops.
    func stop() { state.withLock { $0.isStopped = true } }
}
