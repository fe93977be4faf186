import Dispatch
import HTTPCore
import Sessions
import Synchronization
import WaypostCore

/// The streams of all sessions. Enforces the limits on their number, polls a shared store, and
/// passes revocations to the streams of the account.
final class ChangeStreams: Sendable {
    private struct Entry {
        let streams: SessionStreams
        var count = 0
        /// The normalized username of the account that the session is or was last logged in to. The
        /// session's tokens for other devices belong to the same account.
        var account: String?
    }

    private struct State {
        var entries: [SessionID: Entry] = [:]
        /// The sessions with streams, by the account of the entry.
        var sessions: [String: Set<SessionID>] = [:]
        var streamCount = 0
        /// The number of streams that have been opened so far, including those that have ended.
        var number: UInt64 = 0
        /// Whether the task that `startPolling` starts is running.
        var isPolling = false
        /// Whether `endStreams` was called, and with which reason.
        var hasEnded = false
        var endReason: ChangeMessage.EndReason?

        mutating func setAccount(_ account: String?, of session: SessionID) {
            if let old = entries[session]?.account {
                sessions[old]?.remove(session)
                if sessions[old]?.isEmpty == true { sessions[old] = nil }
            }
            entries[session]?.account = account
            if let account { sessions[account, default: []].insert(session) }
        }
    }

    let directory: SessionDirectory
    let messages: ChangeMessages
    let metrics: StreamMetrics
    private let limits: StreamLimits
    private let seed: UInt64
    /// Whether other processes may change the sessions in the store.
    private let isStoreShared: Bool
    /// One lock for each read that may be in progress.
    private let reads = KeyedLock<Int>()
    private let nextRead = Atomic(0)
    private let revocations = Atomic(0)
    private let state = Mutex(State())

    /// Creates the object, without any streams.
    /// - Parameters:
    ///   - seed: a random number from which the lifetime and the reconnection delay of each stream
    ///     are derived.
    ///   - isStoreShared: whether other processes may change the sessions in the store.
    init(
        _ directory: SessionDirectory, _ messages: ChangeMessages, _ limits: StreamLimits,
        seed: UInt64, isStoreShared: Bool, metrics: StreamMetrics
    ) {
        self.directory = directory
        self.metrics = metrics
        self.messages = messages
        self.limits = limits
        self.seed = seed
        self.isStoreShared = isStoreShared
    }

    var streamCount: Int { state.withLock { $0.streamCount } }

    /// The number of revocations so far.
    var revocationCount: Int { revocations.load(ordering: .sequentiallyConsistent) }

    /// Opens a stream.
    /// - Parameters:
    ///   - token: the further token (a `SessionToken`, made for another device) that opens the
    ///     stream, with its account; nil for the session's first token.
    ///   - seconds: the number of seconds after which the client wants the stream to end; nil for
    ///     no limit.
    ///   - messageLimit: the number of messages after which the client wants the stream to end; nil
    ///     for no limit.
    ///   - revocationCount: the value of this property before the client's token was checked.
    /// - Throws: `.busy` if there are too many streams in total, and `.tooManyStreams` if the
    ///   session has too many; the problem for an error of the session.
    func open(
        _ session: Session, _ start: ChangeStream.Start,
        with token: (hash: SecretHash, account: Username)?, seconds: Int?, messageLimit: Int?,
        revocationCount: Int
    ) async throws(Problem) -> ChangeStream {
        let (streams, random) = try admit(session, token?.account)
        if isStoreShared { startPolling() }
        // Streams that were opened at the same time end at different times, so that not all clients
        // reconnect at once.
        let lifetime = limits.lifetime.map { $0 * (900 + Int(random >> 32) % 101) / 1000 }
        let limit = [lifetime, seconds.map { .seconds($0) }].compactMap(\.self).min()
        let stream = ChangeStream(
            start, of: streams, timeLimit: limit, messageLimit: messageLimit,
            retry: 1000 + Int(random & 0xFFFF_FFFF) % 4001, token: token?.hash,
            revocationCount: revocationCount)
        do { try await withCompletion { session.observe(with: streams, $0) } } catch {
            throw Problem(error)
        }
        return stream
    }

    /// Counts a new stream, and returns the streams of its session and a random number for the new
    /// one.
    /// - Throws: `.busy` if there are too many streams in total; `.tooManyStreams` if the session
    ///   has too many.
    private func admit(
        _ session: Session, _ account: Username?
    ) throws(Problem) -> (SessionStreams, UInt64) {
        try state.withLock { state throws(Problem) in
            guard state.streamCount < limits.maximum else {
                throw Problem(
                    .busy,
                    "the service has its maximum of \(limits.maximum) streams: try again later",
                    headers: ["Retry-After": "5"])
            }
            var entry =
                state.entries[session.id] ?? Entry(streams: SessionStreams(session, in: self))
            guard entry.count < limits.maximumPerSession else {
                throw Problem(
                    .tooManyStreams,
                    """
                    the session has its maximum of \(limits.maximumPerSession) streams: end one of \
                    them first
                    """, headers: ["Retry-After": "5"])
            }
            entry.count += 1
            state.entries[session.id] = entry
            if entry.account == nil { state.setAccount(account?.key, of: session.id) }
            state.streamCount += 1
            state.number += 1
            return (entry.streams, splitMix64(state.number, seed: seed))
        }
    }

    /// Notes that a stream has ended. Forgets the session if this was its last stream.
    func release(_ streams: SessionStreams) {
        let session = streams.session
        let isLast = state.withLock { state in
            state.streamCount -= 1
            state.entries[session.id]?.count -= 1
            guard state.entries[session.id]?.count == 0 else { return false }
            state.setAccount(nil, of: session.id)
            state.entries[session.id] = nil
            return true
        }
        if isLast { session.removeObserver(streams) }
    }

    /// Notes that a session has logged in to an account.
    func setAccount(_ account: Username, of streams: SessionStreams) {
        let id = streams.session.id
        state.withLock { state in
            guard state.entries[id]?.streams === streams else { return }
            state.setAccount(account.key, of: id)
        }
    }

    /// Ends all streams, and each stream that begins later.
    /// - Parameter reason: the reason why the sessions have ended; nil if the clients shall reconnect.
    func endStreams(_ reason: ChangeMessage.EndReason?) {
        let all = state.withLock { state in
            (state.hasEnded, state.endReason) = (true, reason)
            return state.entries.values.map(\.streams)
        }
        for streams in all { streams.endStreams(reason) }
    }

    /// Ends a stream that has just begun, if `endStreams` was called before.
    func endIfLate(_ stream: ChangeStream) {
        let (hasEnded, reason) = state.withLock { ($0.hasEnded, $0.endReason) }
        if hasEnded { stream.end(reason) }
    }

    /// Reacts to a revocation. Sessions whose credential was revoked show the login screen, and
    /// streams that were opened with a revoked token end. The sessions of other accounts are not
    /// visited. If the account is unknown, a session notices the revocation at the next check of a
    /// stream (`ResponseStream.check`).
    func note(_ revocation: AccountRevocation) {
        revocations.add(1, ordering: .sequentiallyConsistent)
        let found = state.withLock { state in
            state.sessions[revocation.username?.key ?? ""]?.compactMap {
                state.entries[$0]?.streams
            }
        }
        for streams in found ?? [] { streams.note(revocation) }
    }

    /// Runs a read of the store, of which at most 32 are in progress at once, so that clients that
    /// reconnect together do not delay other requests.
    func limitingReads<Value>(
        _ read: () async throws(SessionError) -> Value
    ) async throws(SessionError) -> Value {
        try await reads.withLock(nextRead.add(1, ordering: .relaxed).oldValue % 32, read)
    }

    // MARK: Polls

    /// Starts a task that polls the store at intervals, unless the task is already running. If
    /// another process has changed a session or revoked a token, its streams show that. A poll
    /// begins only when the last one has ended, so that at most one waits for a store that hangs.
    private func startPolling() {
        let isFirst = state.withLock { state in
            defer { state.isPolling = true }
            return !state.isPolling
        }
        guard isFirst else { return }
        Task { [weak self] in
            while let interval = await self?.poll() { try? await Task.sleep(for: interval) }
        }
    }

    /// Reads the versions of all sessions with streams, and makes those sessions that other
    /// processes have changed read their rows.
    /// - Returns: the time until the next poll; nil if there is no stream. The task then ends.
    private func poll() async -> Duration? {
        let sessions = state.withLock { state in
            state.isPolling = !state.entries.isEmpty
            return state.entries.values.map(\.streams)
        }
        if sessions.isEmpty { return nil }
        let tokens = Set(sessions.flatMap(\.tokens))
        if let stored = try? await directory.storedVersions(of: sessions.map(\.session.id), tokens)
        {
            let checks = DispatchGroup()
            let revoked = tokens.subtracting(stored.tokens)
            for streams in sessions {
                let version = stored.sessions[streams.session.id]
                streams.compare(with: version, revoked: revoked, in: checks)
            }
            await checks.end()
        }
        return limits.pollInterval
    }
}

/// The limits on the number and the lifetime of change streams.
package struct StreamLimits: Sendable {
    /// The maximum number of open streams in total; 0 turns the route for streams off.
    package var maximum = 10_000
    package var maximumPerSession = 100
    /// The maximum lifetime of a stream; nil for no limit. The limit ends streams whose client has
    /// disappeared while a proxy keeps the connection open.
    package var lifetime: Duration? = .seconds(3600)
    /// The time between two polls, if other processes write to the store. It is less than a second,
    /// because a change that another process makes must reach the streams within a second.
    package var pollInterval = Duration.milliseconds(700)

    package init() {}
}
