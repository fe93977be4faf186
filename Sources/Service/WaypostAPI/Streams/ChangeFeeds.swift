import Dispatch
import HTTPCore
import NavigationRules
import Sessions
import Synchronization
import WaypostCore

/// Manages the change streams of all sessions, with one `ChangeFeed` for each session that has
/// streams, and enforces the limits on the number of streams.
final class ChangeFeeds: Sendable {
    private struct Entry {
        let feed: ChangeFeed
        var streamCount = 0
        /// The normalized username of the account that the session is logged in to.
        var account: String?
    }

    private struct State {
        var entries: [SessionID: Entry] = [:]
        /// The sessions with streams that a revocation of an account's credentials can concern, by
        /// the normalized username. The number of reasons is counted: the session is logged in to
        /// the account, or a credential of the account has made the token that opened a stream.
        var sessions: [String: [SessionID: Int]] = [:]
        var streamCount = 0
        /// The number of streams that have been opened so far, including those that have ended.
        var number: UInt64 = 0
        /// Whether the task that `startLooking` starts is running.
        var isLooking = false

        mutating func add(_ session: SessionID, to account: String?) {
            if let account { sessions[account, default: [:]][session, default: 0] += 1 }
        }

        mutating func remove(_ session: SessionID, from account: String?) {
            guard let account, let count = sessions[account]?[session] else { return }
            sessions[account]?[session] = count > 1 ? count - 1 : nil
            if sessions[account]?.isEmpty == true { sessions[account] = nil }
        }
    }

    let metrics: StreamMetrics
    private let messages: ChangeMessages
    private let limits: StreamLimits
    private let seed: UInt64
    /// Whether other processes may change the sessions in the store.
    private let isStoreShared: Bool
    private let catchUps = TaskLimit(32)
    private let state = Mutex(State())

    /// Creates the manager, without any streams.
    /// - Parameters:
    ///   - seed: a random number from which the lifetime and the reconnection delay of each stream
    ///     are derived.
    ///   - isStoreShared: whether other processes may change the sessions in the store.
    init(
        _ messages: ChangeMessages, _ limits: StreamLimits, seed: UInt64, isStoreShared: Bool,
        metrics: StreamMetrics
    ) {
        self.metrics = metrics
        self.messages = messages
        self.limits = limits
        self.seed = seed
        self.isStoreShared = isStoreShared
    }

    var streamCount: Int { state.withLock { $0.streamCount } }

    /// Opens a stream.
    /// - Parameters:
    ///   - token: the further token (a `SessionToken`, made for another device) that opens the
    ///     stream; nil for the session's first token.
    ///   - seconds: the number of seconds after which the client wants the stream to end; nil for
    ///     no limit.
    ///   - messageLimit: the number of messages after which the client wants the stream to end; nil
    ///     for no limit.
    /// - Throws: `.busy` if there are too many streams in total, and `.tooManyStreams` if the
    ///   session has too many; the problem for an error of the session.
    func open(
        _ session: Session, _ start: ChangeStream.Start,
        with token: DeviceToken?, seconds: Int?, messageLimit: Int?
    ) async throws(Problem) -> ChangeStream {
        let (feed, random) = try admit(session, token)
        if isStoreShared { startLooking() }
        // Streams that were opened at the same time end at different times, so that not all clients
        // reconnect at once.
        let lifetime = limits.lifetime.map { $0 * (900 + Int(random >> 32) % 101) / 1000 }
        let limit = [lifetime, seconds.map { .seconds($0) }].compactMap(\.self).min()
        let stream = ChangeStream(
            start, of: feed, in: self, timeLimit: limit, messageLimit: messageLimit,
            retry: 1000 + Int(random & 0xFFFF_FFFF) % 4001, token: token)
        let started = await withCheckedContinuation { continuation in
            // The feed starts on the session's executor, so that no change comes in between.
            session.watch(with: feed.watch) { result in
                continuation.resume(returning: result.map { feed.start($0) })
            }
        }
        do { try started.get() } catch { throw Problem(error) }
        return stream
    }

    /// Counts a new stream, and returns the feed of its session and a random number for the stream.
    /// - Throws: `.busy` if there are too many streams in total; `.tooManyStreams` if the session
    ///   has too many.
    private func admit(
        _ session: Session, _ token: DeviceToken?
    ) throws(Problem) -> (ChangeFeed, UInt64) {
        try state.withLock { state throws(Problem) in
            guard state.streamCount < limits.maximum else {
                throw Problem(
                    .busy,
                    "the service has its maximum of \(limits.maximum) streams: try again later",
                    headers: ["Retry-After": "5"])
            }
            var entry = state.entries[session.id] ?? Entry(feed: makeFeed(session))
            guard entry.streamCount < limits.maximumPerSession else {
                throw Problem(
                    .tooManyStreams,
                    """
                    the session has its maximum of \(limits.maximumPerSession) streams: end one of \
                    them first
                    """, headers: ["Retry-After": "5"])
            }
            entry.streamCount += 1
            state.entries[session.id] = entry
            state.add(session.id, to: token?.account)
            state.streamCount += 1
            state.number += 1
            return (entry.feed, mixed(seed &+ state.number))
        }
    }

    /// Makes the feed of a session. The feed keeps `State.sessions` up to date.
    private func makeFeed(_ session: Session) -> ChangeFeed {
        let feed = ChangeFeed(session, messages, metrics, catchUps)
        feed.watch.onAccount { [weak self, weak feed, id = session.id] username in
            self?.state.withLock { state in
                guard let entry = state.entries[id], entry.feed === feed else { return }
                state.remove(id, from: entry.account)
                state.add(id, to: username?.key)
                state.entries[id]?.account = username?.key
            }
        }
        return feed
    }

    /// Starts a task that checks the sessions with streams at intervals, unless the task is already
    /// running. If another process has changed a session, the check reads the session from the
    /// store, and the session's streams get the changes. A check begins only when the last one has
    /// ended, so that few wait for a store that hangs.
    private func startLooking() {
        let isFirst = state.withLock { state in
            defer { state.isLooking = true }
            return !state.isLooking
        }
        guard isFirst else { return }
        Task { [weak self] in
            while let feeds = self?.watchedFeeds() {
                let checks = DispatchGroup()
                for feed in feeds { feed.look(in: checks) }
                await checks.end()
                guard let interval = self?.limits.lookInterval else { return }
                try? await Task.sleep(for: interval)
            }
        }
    }

    /// Returns the feeds of the sessions that have streams; nil if there are none. The task that
    /// `startLooking` starts then ends.
    private func watchedFeeds() -> [ChangeFeed]? {
        state.withLock { state in
            state.isLooking = !state.entries.isEmpty
            return state.isLooking ? state.entries.values.map(\.feed) : nil
        }
    }

    /// Records that a stream of a feed has ended, and removes the feed if this was its last stream.
    /// - Parameter token: the further token that opened the stream.
    func release(_ feed: ChangeFeed, with token: DeviceToken?) {
        let isLast = state.withLock { state in
            state.streamCount -= 1
            let id = feed.session.id
            state.entries[id]?.streamCount -= 1
            state.remove(id, from: token?.account)
            guard let entry = state.entries[id], entry.streamCount == 0 else { return false }
            state.remove(id, from: entry.account)
            state.entries[id] = nil
            return true
        }
        if isLast { feed.session.unwatch(feed.watch) }
    }

    /// Ends all streams without an `end` message, so that their clients reconnect.
    func endStreams() {
        for feed in state.withLock({ $0.entries.values.map(\.feed) }) { feed.endStreams() }
    }

    /// Reacts to a revocation. Sessions whose credential was revoked show the login screen, and
    /// streams that were opened with a revoked token end. The sessions of other accounts are not
    /// visited. If the account is unknown, a session notices the revocation at the next heartbeat of
    /// a stream.
    func note(_ revocation: AccountRevocation) {
        let feeds = state.withLock { state in
            guard let account = revocation.username?.key else { return [ChangeFeed]() }
            return state.sessions[account]?.keys.compactMap { state.entries[$0]?.feed } ?? []
        }
        for feed in feeds { feed.note(revocation) }
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
    /// The time between two checks of the sessions that have streams, if other processes write to the
    /// store. It is less than a second, because a change that another process makes must reach the
    /// streams within a second.
    package var lookInterval = Duration.milliseconds(700)

    package init() {}
}

/// Runs a limited number of tasks at a time. Further tasks wait, and start in the order of the
/// calls of `run`.
final class TaskLimit: Sendable {
    private struct State {
        var running = 0
        var waiting: [@Sendable () async -> Void] = []
    }

    private let limit: Int
    private let state = Mutex(State())

    init(_ limit: Int) { self.limit = limit }

    func run(_ work: @escaping @Sendable () async -> Void) {
        let mayRun = state.withLock { state in
            guard state.running < limit else {
                state.waiting.append(work)
                return false
            }
            state.running += 1
            return true
        }
        guard mayRun else { return }
        Task {
            var work = work
            while true {
                await work()
                let next = state.withLock { state -> (@Sendable () async -> Void)? in
                    if state.waiting.isEmpty { state.running -= 1 }
                    return state.waiting.isEmpty ? nil : state.waiting.removeFirst()
                }
                guard let next else { return }
                work = next
            }
        }
    }
}

/// Returns a number whose bits look random, even for consecutive arguments (the finalizer of
/// SplitMix64).
private func mixed(_ number: UInt64) -> UInt64 {
    var bits = number &* 0x9E37_79B9_7F4A_7C15
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
}
