import Dispatch
import HTTPCore
import Navigation
import Sessions
import Synchronization
import WaypostCore

/// The streams of one session, and the messages that they share.
///
/// There is no queue: a stream that cannot take a message is only marked as behind. When it can take
/// one again, it gets a single message with all missed changes. Their events are read from the store.
final class ChangeFeed: Sendable {
    /// A stream, and the position that its client has reached.
    private struct Client {
        unowned let source: ChangeStream
        let stream: any OutgoingStream
        /// The position after the last message.
        var position: ChangeCursor
        /// The number of messages until the stream ends; nil for no limit.
        var messagesLeft: Int?
        /// Whether the stream has refused a message because an earlier message had not been sent
        /// completely.
        var isBehind = false
        /// Whether the events that the client has missed are being read.
        var isCatchingUp = false
    }

    /// The state of the feed. All methods but `start` use it only on the streams' thread, so no
    /// thread waits long for the lock.
    private struct State {
        /// The session's state after the last message; nil until `start`.
        var latest: SessionSnapshot?
        var clients: [ObjectIdentifier: Client] = [:]
        var ending: StreamEnding?
    }

    /// The state that other threads use to pass work to the streams' thread.
    private struct Link {
        /// Nil until the first stream begins.
        var executor: (any StreamExecutor)?
        /// The time of the oldest change that has not been sent to the streams; nil if there is none.
        var newsTime: DispatchTime?
    }

    /// The maximum number of events in a message.
    static let eventLimit = 1000

    let session: Session
    let watch = SessionWatch()
    private let messages: ChangeMessages
    private let metrics: StreamMetrics
    private let catchUps: TaskLimit
    private let state = Mutex(State())
    private let link = Mutex(Link())

    init(
        _ session: Session, _ messages: ChangeMessages, _ metrics: StreamMetrics,
        _ catchUps: TaskLimit
    ) {
        self.session = session
        self.messages = messages
        self.metrics = metrics
        self.catchUps = catchUps
        watch.onNews { [weak self] in
            self?.link.withLock { $0.newsTime = .now() }
            self?.schedule { $0.deliver() }
        }
    }

    /// Sets the state that the session had when `watch` was installed; `watch` gets every later
    /// change. Does nothing if the feed has a state already.
    func start(_ session: SessionSnapshot) {
        state.withLock { state in
            if state.latest == nil { state.latest = session }
        }
    }

    /// Runs work on the streams' thread. Does nothing before the first stream begins, because the
    /// feed does not know the thread yet.
    private func schedule(_ work: @escaping @Sendable (ChangeFeed) -> Void) {
        guard let executor = link.withLock(\.executor) else { return }
        executor.run { work(self) }
    }

    // MARK: Streams

    func begin(_ source: ChangeStream, _ stream: any OutgoingStream) {
        link.withLock { $0.executor = stream.executor }
        state.withLock { state in
            deliver(&state)
            guard let latest = state.latest else { return }
            let present = messages.cursor(of: latest)
            var client = Client(
                source: source, stream: stream, position: present,
                messagesLeft: source.messageLimit)
            let reason = snapshotReason(source.start, present)
            var first = ChangeMessages.preamble(retry: source.retry)
            if let reason { first += messages.snapshot(latest, reason) }
            _ = stream.send(StreamFrame(first))
            if let reason {
                note(present, .snapshot, &client)
                metrics.opened(reason == .opened ? .live : .snapshot)
            } else if case .after(let cursor) = source.start {
                client.position = cursor
                metrics.opened(cursor == present ? .nothingMissed : .replayed)
            }
            state.clients[ObjectIdentifier(source)] = client
            catchUp(source, &state)
            if let ending = state.ending { end(client, ending) }
        }
    }

    /// Returns why a new stream begins with a snapshot; nil if it begins with the missed changes.
    private func snapshotReason(
        _ start: ChangeStream.Start, _ present: ChangeCursor
    ) -> SnapshotReason? {
        switch start {
        case .now: return .opened
        case .unknown: return .unknownCursor
        case .after(let cursor):
            let isEarlier =
                cursor.history == present.history && cursor.revision < present.revision
                && cursor.lastEvent <= present.lastEvent
            return cursor == present || isEarlier ? nil : .otherHistory
        }
    }

    func canSend(_ source: ChangeStream) {
        state.withLock { state in
            state.clients[ObjectIdentifier(source)]?.isBehind = false
            catchUp(source, &state)
        }
    }

    func remove(_ source: ChangeStream, _ end: StreamEnd) {
        metrics.ended(end.reason)
        state.withLock { $0.clients[ObjectIdentifier(source)] = nil }
    }

    // MARK: Messages

    /// Sends the changes that the session has published since the last call.
    private func deliver() {
        state.withLock { deliver(&$0) }
        if let start = link.withLock({ $0.newsTime.take() }) {
            metrics.delay.record(
                .nanoseconds(DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds))
        }
    }

    private func deliver(_ state: inout State) {
        guard let news = watch.take(), var latest = state.latest else { return }
        for change in news.changes where change.session.window.revision > latest.window.revision {
            endStreamsOfTokens(before: change.session, after: latest, &state)
            latest = change.session
            if !state.clients.isEmpty { send(change, &state) }
        }
        if let newest = news.latest, newest.window.revision > latest.window.revision {
            endStreamsOfTokens(before: newest, after: latest, &state)
            latest = newest
        }
        state.latest = latest
        if news.isIncomplete {
            for client in Array(state.clients.values) { catchUp(client.source, &state) }
        }
        if news.hasEnded { end(.deleted, &state) }
    }

    /// Sends a change to all clients that have received all earlier changes.
    private func send(_ change: ChangeResult, _ state: inout State) {
        let position = messages.cursor(of: change.session)
        let message = messages.change(change)
        let frame = StreamFrame(message ?? messages.snapshot(change.session, .gap))
        var index = state.clients.startIndex
        while index != state.clients.endIndex {
            let client = state.clients.values[index]
            if client.position.revision == position.revision - 1, !client.isBehind,
                !client.isCatchingUp
            {
                send(
                    frame, position, message == nil ? .snapshot : .change,
                    &state.clients.values[index])
            }
            state.clients.formIndex(after: &index)
        }
    }

    private func send(
        _ frame: StreamFrame, _ position: ChangeCursor, _ kind: StreamMetrics.Message,
        _ client: inout Client
    ) {
        if client.stream.send(frame) {
            note(position, kind, &client)
        } else {
            client.isBehind = true
        }
    }

    /// Records that a message was sent to a client. Ends the stream after the last message that the
    /// client asked for.
    private func note(
        _ position: ChangeCursor, _ kind: StreamMetrics.Message, _ client: inout Client
    ) {
        metrics.sent(kind)
        client.position = position
        guard let left = client.messagesLeft else { return }
        client.messagesLeft = left - 1
        if left == 1 { client.stream.end() }
    }

    // MARK: Missed changes

    /// Sends a client one message with all changes that it has missed, or a snapshot if the changes
    /// are no longer kept or are too large for a message.
    private func catchUp(_ source: ChangeStream, _ state: inout State) {
        let id = ObjectIdentifier(source)
        guard let latest = state.latest, let client = state.clients[id], !client.isBehind,
            !client.isCatchingUp, client.position.revision < latest.window.revision
        else { return }
        let position = client.position
        guard position.lastEvent < latest.window.lastEvent else {
            // The missed changes had no events, so that no event has to be read.
            return finishCatchUp(id, latest, EventPage(events: [], oldest: 1), &state)
        }
        state.clients[id]?.isCatchingUp = true
        catchUps.run { [self] in
            let result: Result<EventPage, SessionError>
            do throws(SessionError) {
                let events = try await session.events(
                    after: position.lastEvent, limit: Self.eventLimit)
                result = .success(events.page)
            } catch {
                result = .failure(error)
            }
            schedule { feed in
                feed.state.withLock { state in
                    state.clients[id]?.isCatchingUp = false
                    switch result {
                    case .success(let page): feed.finishCatchUp(id, latest, page, &state)
                    // The client reconnects, and learns the reason then.
                    case .failure: state.clients[id]?.stream.end()
                    }
                    // The session may have changed again in the meantime. The use of `source` here
                    // also keeps it alive until now, so that no other stream has got the same `id`.
                    feed.catchUp(source, &state)
                }
            }
        }
    }

    /// Sends a client the message for which `catchUp` has read the events.
    /// - Parameters:
    ///   - target: the state up to which the client gets the changes.
    ///   - page: the events after the client's position.
    private func finishCatchUp(
        _ id: ObjectIdentifier, _ target: SessionSnapshot, _ page: EventPage, _ state: inout State
    ) {
        guard var client = state.clients[id] else { return }
        let position = client.position
        let events = page.events.filter { $0.seq <= target.window.lastEvent }
        let isComplete =
            page.oldest <= position.lastEvent + 1
            && events.count == target.window.lastEvent - position.lastEvent
        let message =
            isComplete ? messages.changes(from: position.revision, events, to: target) : nil
        let frame = StreamFrame(
            message ?? messages.snapshot(target, .gap, oldestEvent: page.oldest))
        send(frame, messages.cursor(of: target), message == nil ? .snapshot : .change, &client)
        state.clients[id] = client
    }

    // MARK: The end of the session

    /// Makes the session check whether it has expired and whether its credential is still valid.
    /// Ends the streams if the session has ended.
    func checkSession() {
        schedule { feed in
            feed.session.read { result in
                guard case .failure(.ended) = result else { return }
                feed.schedule { feed in feed.state.withLock { feed.end(.expired, &$0) } }
            }
        }
    }

    /// Ends the streams that were opened with a further token (`SessionToken`) that is no longer
    /// valid. Also checks the session if its own credential may have been revoked.
    /// - Parameter hash: the hash of the credential or token; nil if any credential may have been
    ///   revoked.
    func noteRevocation(of hash: SecretHash?) {
        schedule { feed in
            let (own, sources) = feed.state.withLock { state in
                (
                    state.latest?.credential,
                    state.clients.values.map(\.source).filter { $0.isTokenValid != nil }
                )
            }
            for source in sources { feed.checkToken(of: source) }
            if hash == nil || hash == own { feed.checkSession() }
        }
    }

    /// Ends a stream if the further token that opened it is no longer valid.
    func checkToken(of source: ChangeStream) {
        guard let isTokenValid = source.isTokenValid else { return }
        catchUps.run { [self] in
            guard await !isTokenValid() else { return }
            schedule { feed in
                feed.state.withLock { state in feed.endStream(of: source, &state) }
            }
        }
    }

    /// Ends the streams that further tokens opened, before any message of a log-in is sent. The
    /// log-in has revoked these tokens, because another user may be logged in now.
    private func endStreamsOfTokens(
        before next: SessionSnapshot, after last: SessionSnapshot, _ state: inout State
    ) {
        guard next.credential != nil, next.credential != last.credential else { return }
        for client in state.clients.values where client.source.isTokenValid != nil {
            endStream(of: client.source, &state)
        }
    }

    /// Ends a stream without an `end` message, so that the client connects again. If its token is no
    /// longer valid, the response to that request says so.
    private func endStream(of source: ChangeStream, _ state: inout State) {
        guard let client = state.clients.removeValue(forKey: ObjectIdentifier(source)) else {
            return
        }
        client.stream.end()
    }

    /// Ends all streams without an `end` message. When their clients connect again, they get the
    /// changes that they have missed.
    func endStreams() {
        schedule { feed in
            feed.state.withLock { state in
                for client in state.clients.values { feed.endStream(of: client.source, &state) }
            }
        }
    }

    private func end(_ ending: StreamEnding, _ state: inout State) {
        guard state.ending == nil else { return }
        // `checkSession` also finds a deleted session ended. `watch` has reported the deletion
        // before, so that the first reason is the right one.
        state.ending = ending
        for client in state.clients.values { end(client, ending) }
    }

    private func end(_ client: Client, _ ending: StreamEnding) {
        if client.stream.send(ChangeMessages.end(ending)) { metrics.sent(.end) }
        client.stream.end()
    }
}
