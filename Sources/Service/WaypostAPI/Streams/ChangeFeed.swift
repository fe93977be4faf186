import Dispatch
import HTTPCore
import NavigationRules
import Sessions
import Synchronization
import WaypostCore

/// Sends the changes of one session to all streams of the session.
///
/// There is no queue of messages. A stream that cannot take a message is only marked as behind.
/// When the stream can take a message again, it gets a single one with all missed changes, whose
/// events are read from the store.
final class ChangeFeed: Sendable {
    /// An open stream, and the position up to which it has sent the session's changes.
    private struct Client {
        unowned let source: ChangeStream
        let stream: any OutgoingStream
        /// The position after the last message that the stream has sent.
        var position: ChangeCursor
        /// The number of messages that the stream may still send before it ends; nil for no limit.
        var messagesLeft: Int?
        /// Whether the stream has refused a message because an earlier message had not been sent
        /// completely.
        var isBehind = false
        /// Whether a task is reading the events that the client has missed.
        var isCatchingUp = false
    }

    /// The state of the feed. Except in `start` and `look`, only the thread that serves the streams
    /// uses the state, so no thread waits long for the lock.
    private struct State {
        /// The session's state after the last change that the feed has sent; nil until `start` is
        /// called.
        var latest: SessionState?
        var clients: [ObjectIdentifier: Client] = [:]
        var ending: StreamEnding?
    }

    /// The data with which other threads hand over work to the thread that serves the streams.
    private struct Link {
        /// Runs work on the thread that serves the streams; nil until the first stream begins.
        var executor: (any StreamExecutor)?
        /// The time of the oldest change that the feed has not sent to its streams yet; nil if
        /// there is none.
        var newsTime: DispatchTime?
    }

    /// The maximum number of missed events that one message can contain.
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

    /// Sets the state that the session had when it began to report its changes to `watch`, which
    /// collects all later changes. Does nothing if the feed already has a state.
    func start(_ session: SessionState) {
        state.withLock { state in
            if state.latest == nil { state.latest = session }
        }
    }

    /// Runs `work` on the thread that serves the streams. Does nothing before the first stream
    /// begins, because the feed does not know the thread yet.
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

    /// Returns the reason why a new stream begins with a snapshot, which is a message with the
    /// session's whole state; nil if the stream begins with the missed changes or there are none.
    /// - Parameters:
    ///   - start: the position from which the client wants the changes.
    ///   - present: the position of the session's current state.
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

    /// Sends the streams all changes since the last call, and records the delay of the oldest one
    /// in the metrics.
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

    /// Sends a change to each client that has received all earlier changes.
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

    /// Records that a message was sent to a client. Ends the stream if the client has now received
    /// as many messages as it asked for.
    /// - Parameter position: the position after the message.
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

    /// Sends a client one message with all changes that the client has missed. If the events of
    /// these changes are no longer stored, or the message would be too large, the client gets a
    /// snapshot, the session's whole state. Does nothing if the client has missed no change, or
    /// cannot take a message yet.
    private func catchUp(_ source: ChangeStream, _ state: inout State) {
        let id = ObjectIdentifier(source)
        guard let latest = state.latest, let client = state.clients[id], !client.isBehind,
            !client.isCatchingUp, client.position.revision < latest.window.revision
        else { return }
        let position = client.position
        guard position.lastEvent < latest.window.lastEvent else {
            // The missed changes had no events, so no event needs to be read.
            return finishCatchUp(id, latest, EventPage(events: [], oldest: 1), &state)
        }
        state.clients[id]?.isCatchingUp = true
        catchUps.run { [self] in
            let result: Result<EventPage, SessionError>
            do throws(SessionError) {
                let events = try await session.history.events(
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
                    // also keeps the source alive, so that no other stream can have the same `id`.
                    feed.catchUp(source, &state)
                }
            }
        }
    }

    /// Sends a client the changes that the client has missed, or a snapshot of the session if
    /// `page` does not have all their events.
    /// - Parameters:
    ///   - target: the session's state after the last missed change.
    ///   - page: the stored events after the client's position.
    private func finishCatchUp(
        _ id: ObjectIdentifier, _ target: SessionState, _ page: EventPage, _ state: inout State
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

    /// Makes the session check whether it has expired, and whether the credential of the logged-in
    /// user is still valid. Ends all streams of the session if the session has ended.
    /// - Parameter completion: called when the session has responded.
    func checkSession(_ completion: @escaping @Sendable () -> Void = {}) {
        session.read { result in
            if case .failure(.ended) = result {
                self.schedule { feed in feed.state.withLock { feed.end(.expired, &$0) } }
            }
            completion()
        }
    }

    /// Reacts to a revocation. Ends the streams that were opened with a further token that is no
    /// longer valid. If the session may be logged in with a revoked credential, makes the session
    /// check its credential.
    func note(_ revocation: AccountRevocation) {
        schedule { feed in
            feed.checkTokens()
            let own = feed.state.withLock(\.latest?.credential)
            switch revocation {
            case .credential(own, _): feed.checkSession()
            case .all(_, let exception) where exception != own: feed.checkSession()
            case .credential, .all, .token: break
            }
        }
    }

    /// Checks the session and the tokens of its streams, which another process may have changed.
    /// - Parameter group: has an entry for each check until it has ended.
    func look(in group: DispatchGroup) {
        group.enter()
        checkSession { group.leave() }
        checkTokens(in: group)
    }

    private func checkTokens(in group: DispatchGroup? = nil) {
        let sources = state.withLock { $0.clients.values.map(\.source) }
        for source in sources { checkToken(of: source, in: group) }
    }

    /// Checks a stream in a task. Ends the stream if it was opened with a further token (a
    /// `SessionToken`, made for another device) that is no longer valid.
    func checkToken(of source: ChangeStream, in group: DispatchGroup? = nil) {
        guard let token = source.token else { return }
        group?.enter()
        catchUps.run { [self] in
            defer { group?.leave() }
            guard await !token.isValid() else { return }
            schedule { feed in
                feed.state.withLock { state in feed.endStream(of: source, &state) }
            }
        }
    }

    /// Ends all streams that were opened with further tokens (`SessionToken`, made for other
    /// devices) if the change from `last` to `next` is a log-in. The log-in has revoked these
    /// tokens, because another user may be logged in now. The method must be called before the
    /// change is sent.
    private func endStreamsOfTokens(
        before next: SessionState, after last: SessionState, _ state: inout State
    ) {
        guard next.credential != nil, next.credential != last.credential else { return }
        for client in state.clients.values where client.source.token != nil {
            endStream(of: client.source, &state)
        }
    }

    /// Ends a stream without an `end` message, so that the client reconnects. If the client's token
    /// is no longer valid, the response to the new request says so.
    private func endStream(of source: ChangeStream, _ state: inout State) {
        guard let client = state.clients.removeValue(forKey: ObjectIdentifier(source)) else {
            return
        }
        client.stream.end()
    }

    /// Ends all streams of the session without an `end` message. When the clients reconnect, they
    /// get the changes that they have missed.
    func endStreams() {
        schedule { feed in
            feed.state.withLock { state in
                for client in state.clients.values { feed.endStream(of: client.source, &state) }
            }
        }
    }

    private func end(_ ending: StreamEnding, _ state: inout State) {
        guard state.ending == nil else { return }
        // `checkSession` calls this method with `.expired` even for a deleted session. `watch` has
        // then already reported the deletion, so the first reason is the right one.
        state.ending = ending
        for client in state.clients.values { end(client, ending) }
    }

    private func end(_ client: Client, _ ending: StreamEnding) {
        if client.stream.send(ChangeMessages.end(ending)) { metrics.sent(.end) }
        client.stream.end()
    }
}
