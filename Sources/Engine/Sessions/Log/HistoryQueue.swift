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
/// A request divides its read into pieces of at most `pieceSize` changes. Between the pieces a request
/// whose client has left is given up. The clients take turns: between pages, and between the pieces of
/// flows. One piece at a time is thus in memory, because it may take tens of megabytes.
public final class HistoryQueue: Sendable {
    /// The maximum number of requests in progress that read the history: of all clients, and of one
    /// client.
    static let total = 32
    static let perClient = 8
    /// The maximum number of changes in one piece of a read.
    public static let pieceSize = 250

    private struct State {
        var total = 0
        var counts: [String: Int] = [:]
        var isStopped = false
        /// Whether a request has the turn.
        var isReading = false
        /// The requests that wait for their turn.
        var waiting = FairQueue<CheckedContinuation<Void, Never>>(WorkLimits(total: .max))
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

    /// Reads a page, or a piece of another request, when it is the turn of the client. Nothing else is
    /// read until `work` has ended.
    func withTurn<Output>(
        for reader: HistoryReader,
        _ work: () async throws(SessionError) -> Output
    ) async throws(SessionError) -> Output {
        await takeTurn(reader.client)
        defer { endTurn() }
        return try await work()
    }

    private func takeTurn(_ client: String?) async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                defer { state.isReading = true }
                guard state.isReading else { return true }
                // The queue has no limit, so that it rejects none.
                _ = state.waiting.append(continuation, of: WorkOwner(client: client, account: nil))
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    private func endTurn() {
        let next = state.withLock { state in
            let next = state.waiting.next()
            state.isReading = next != nil
            return next
        }
        next?.resume()
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
