import Dispatch
import HTTPCore
import NavigationRules
import Sessions
import Synchronization
import WaypostCore

/// The streams of one session.
///
/// The session reports its changes on its own executor. They wait in `stored` until the thread of
/// the streams has served every stream. A stream that cannot take a change at that moment, because
/// its client reads slowly, later reads the missed events from the store.
final class SessionStreams: SessionObserver {
    private typealias Run = @Sendable (_ work: @escaping @Sendable () -> Void) -> Void

    /// The reports of the session. Any thread may use this value.
    private struct Stored {
        var state: SessionState?
        var version: RowVersion?
        /// The changes since the streams were last served; empty if `isIncomplete`.
        var changes: [ChangeResult] = []
        /// Whether there were too many changes to keep, or another process has made some.
        var isIncomplete = false
        var hasEnded = false
        /// The time of the oldest change that the streams have not been served; nil if there is none.
        var time: DispatchTime?
        /// Runs work on the thread of the streams; nil until the first stream begins.
        var run: Run?
    }

    /// Only the thread of the streams uses this value, except that a poll reads the tokens.
    private struct State {
        /// Nil until the first stream begins.
        var changes: SessionChanges?
        var streams: [ObjectIdentifier: ChangeStream] = [:]
        var end: ChangeMessage.EndReason?
    }

    /// The maximum number of changes that a stream gets in messages of their own at once.
    private static let changeLimit = 32
    /// The maximum number of missed events that one message can contain.
    private static let eventLimit = 1000

    let session: Session
    private let all: ChangeStreams
    private let stored = Mutex(Stored())
    private let state = Mutex(State())
    /// Whether a check that a stream has started is in progress.
    private let isChecking = Atomic(false)

    init(_ session: Session, in all: ChangeStreams) {
        self.session = session
        self.all = all
    }

    var metrics: StreamMetrics { all.metrics }

    /// The tokens for other devices that have opened streams of the session.
    var tokens: [SecretHash] { state.withLock { $0.streams.values.compactMap(\.token) } }

    // MARK: On the session's executor

    func take(_ update: SessionUpdate) {
        var account: Username?
        let run = stored.withLock { stored -> Run? in
            if let credential = update.state.credential, credential != stored.state?.credential {
                account = update.state.username
            }
            stored.state = update.state
            stored.version = update.version
            stored.hasEnded = update.hasEnded
            let changes = stored.changes + (update.changes ?? [])
            stored.isIncomplete =
                stored.isIncomplete || update.changes == nil || changes.count > Self.changeLimit
            stored.changes = stored.isIncomplete ? [] : changes
            let hasChanged = update.changes?.isEmpty != true || update.hasEnded
            guard hasChanged, stored.time == nil else { return nil }
            stored.time = .now()
            return stored.run
        }
        // No client knows the new credential yet, so that its revocation comes after this.
        if let account { all.setAccount(account, of: self) }
        run? { self.state.withLock { self.serve(&$0) } }
    }

    // MARK: On the thread of the streams

    func add(_ stream: ChangeStream, _ connection: any StreamConnection) {
        stored.withLock { $0.run = connection.run }
        state.withLock { state in
            serve(&state)
            guard let changes = state.changes else { return }
            state.streams[ObjectIdentifier(stream)] = stream
            stream.start(on: connection, with: changes)
            state.changes?.advance(stream)
            if let end = state.end { stream.end(end) }
        }
        // `endStreams` and `note` reach only streams that have begun.
        all.endIfLate(stream)
        if stream.revocationCount != all.revocationCount { check(stream) }
    }

    func remove(_ stream: ChangeStream) {
        state.withLock { $0.streams[ObjectIdentifier(stream)] = nil }
        release()
    }

    /// Stops counting a stream towards the limits on streams.
    func release() { all.release(self) }

    /// Sends a stream what it has missed while its connection could take no message.
    func advance(_ stream: ChangeStream) { state.withLock { $0.changes?.advance(stream) } }

    /// Sends all streams the changes since the last call, and records the delay of the oldest one in
    /// the metrics.
    private func serve(_ state: inout State) {
        let new = stored.withLock { stored in
            defer {
                stored.changes = []
                stored.isIncomplete = false
                stored.time = nil
            }
            return stored
        }
        guard var latest = new.state else { return }
        if let last = state.changes?.latest {
            if latest.window.revision < last.window.revision { latest = last }
            let states = new.changes.map(\.session) + [latest]
            if states.contains(where: { $0.credential != nil && $0.credential != last.credential })
            {
                // A log-in has revoked the further tokens, as another user may be logged in now.
                for stream in state.streams.values where stream.token != nil { stream.end() }
            }
        }
        state.changes = SessionChanges(all.messages, to: latest, new.changes)
        for stream in state.streams.values { state.changes?.advance(stream) }
        state.changes = SessionChanges(all.messages, to: latest)
        if new.hasEnded { end(.deleted, &state) }
        if let time = new.time, !state.streams.isEmpty {
            metrics.delay.record(
                .nanoseconds(DispatchTime.now().uptimeNanoseconds - time.uptimeNanoseconds))
        }
    }

    private func end(_ reason: ChangeMessage.EndReason, _ state: inout State) {
        // A check calls this method with `.expired` even for a deleted session, whose deletion the
        // streams have been told before. The first reason is then the right one.
        guard state.end == nil else { return }
        state.end = reason
        for stream in state.streams.values { stream.end(reason) }
    }

    // MARK: Reads from the store

    /// Runs work on the thread of the streams. Does nothing before the first stream begins.
    private func run(_ work: @escaping @Sendable (inout State) -> Void) {
        stored.withLock(\.run)? { self.state.withLock { work(&$0) } }
    }

    /// Reads the events of the changes that a stream has missed, and sends the stream one message with
    /// all of them. If they are no longer stored, or the message would be too large, the stream gets
    /// the whole state.
    func read(after position: ChangeCursor, to target: SessionState, for stream: ChangeStream) {
        Task {
            let page = try? await all.limitingReads { () async throws(SessionError) in
                try await session.history.events(after: position.lastEvent, limit: Self.eventLimit)
                    .page
            }
            run { state in
                stream.finishReading(page.map { self.message(after: position, $0, to: target) })
                // The session may have changed again in the meantime.
                state.changes?.advance(stream)
            }
        }
    }

    private func message(
        after position: ChangeCursor, _ page: EventPage, to target: SessionState
    ) -> ChangeMessage {
        let last = target.window.lastEvent
        let events = page.events.filter { $0.seq <= last }
        guard page.oldest <= position.lastEvent + 1, events.count == last - position.lastEvent
        else {
            return all.messages.snapshot(target, .gap, oldestEvent: page.oldest)
        }
        return all.messages.change(
            from: position.revision, events, to: target, oldestEvent: page.oldest)
    }

    /// Makes the session check whether it has expired, whether its credential is still valid, and
    /// whether another process has changed it. Ends all streams if the session has ended.
    /// - Parameter completion: called when the session has responded.
    private func check(_ completion: @escaping @Sendable () -> Void = {}) {
        session.read { result in
            if case .failure(.ended) = result { self.run { self.end(.expired, &$0) } }
            completion()
        }
    }

    /// Checks a stream in a task. Ends the stream if the token that opened it is no longer valid. If
    /// the store cannot be read, the token counts as valid until the next check.
    private func checkToken(of stream: ChangeStream) {
        guard let token = stream.token else { return }
        Task {
            let isValid = try? await all.limitingReads { () async throws(SessionError) in
                try await all.directory.accepts(token, for: session)
            }
            if isValid == false { run { _ in stream.end() } }
        }
    }

    /// Checks the session and the token of a stream.
    func check(_ stream: ChangeStream) {
        if !isChecking.exchange(true, ordering: .relaxed) {
            check { self.isChecking.store(false, ordering: .relaxed) }
        }
        checkToken(of: stream)
    }

    /// Checks the session if another process has changed its row, and ends the streams whose tokens
    /// are revoked.
    /// - Parameters:
    ///   - version: the stored version of the row; nil if there is no such row.
    ///   - group: has an entry until the session has responded.
    func compare(with version: RowVersion?, revoked: Set<SecretHash>, in group: DispatchGroup) {
        if version != stored.withLock(\.version) {
            group.enter()
            check { group.leave() }
        }
        guard !revoked.isDisjoint(with: tokens) else { return }
        run { state in
            for stream in state.streams.values {
                if let token = stream.token, revoked.contains(token) { stream.end() }
            }
        }
    }

    /// Reacts to a revocation. Checks the tokens of the streams and, if the session may be logged in
    /// with a revoked credential, the session.
    func note(_ revocation: AccountRevocation) {
        run { state in
            for stream in state.streams.values { self.checkToken(of: stream) }
            let own = state.changes?.latest.credential
            switch revocation {
            case .credential(own, _): self.check()
            case .all(_, let exception) where exception != own: self.check()
            case .credential, .all, .token: break
            }
        }
    }

    /// Ends all streams.
    /// - Parameter reason: the reason why the session has ended; nil if the clients shall reconnect,
    ///   and then get the changes that they have missed.
    func endStreams(_ reason: ChangeMessage.EndReason?) {
        run { state in for stream in state.streams.values { stream.end(reason) } }
    }
}

/// The state of a session that its streams follow, with the newest changes that have led to it.
struct SessionChanges {
    let messages: ChangeMessages
    let latest: SessionState
    /// The newest changes, each with its message once a stream has needed it.
    private var newest: [(change: ChangeResult, message: ChangeMessage?)]

    init(_ messages: ChangeMessages, to latest: SessionState, _ newest: [ChangeResult] = []) {
        self.messages = messages
        self.latest = latest
        let isCurrent = newest.last?.session.window.revision == latest.window.revision
        self.newest = isCurrent ? newest.map { ($0, nil) } : []
    }

    /// Sends a stream what follows its position.
    mutating func advance(_ stream: ChangeStream) { stream.advance(&self) }

    /// Returns the message that follows an earlier position; nil if the store must be read for it.
    mutating func message(after position: ChangeCursor) -> ChangeMessage? {
        let index = newest.count - (latest.window.revision - position.revision)
        guard newest.indices.contains(index) else {
            // Changes without events need no event from the store.
            return position.lastEvent < latest.window.lastEvent
                ? nil : messages.change(from: position.revision, [], to: latest)
        }
        if let message = newest[index].message { return message }
        let (state, outcome) = (newest[index].change.session, newest[index].change.outcome)
        let message = messages.change(
            from: position.revision, outcome.events, to: state, outcome)
        newest[index].message = message
        return message
    }
}
