import HTTPCore
import Sessions
import Synchronization
import WaypostCore

/// One client's stream of the changes of a session.
///
/// The stream holds its position: the state of the session that its client knows. It has no queue.
/// Whenever its connection can take a message, it sends the one that follows the position
/// (`SessionChanges.message`), so that a client that reads slowly gets one message with all
/// that it has missed. Only the thread of the streams uses the state.
final class ChangeStream: ResponseStream {
    /// The position after which a client wants the changes, or the reason why the stream begins with
    /// the whole state.
    typealias Start = Result<ChangeCursor, ChangeMessage.SnapshotReason>

    private struct State {
        /// Nil before the first message and after the last one.
        var connection: (any StreamConnection)?
        /// The position after the last message; nil before `begin`.
        var position: ChangeCursor?
        /// The number of messages that the stream may still send before it ends; nil for no limit.
        var messagesLeft: Int?
        /// Whether the connection has refused a message, because it still sends an earlier one.
        var isBehind = false
        /// Whether the events that follow the position are being read from the store.
        var isReading = false
    }

    let start: Start
    let timeLimit: Duration?
    /// The time that the client waits before it reconnects after the end of the stream, in
    /// milliseconds.
    let retry: Int
    /// The hash of the further token (`SessionToken`) that opened the stream; nil for the session's
    /// first token, which is valid as long as the session exists.
    let token: SecretHash?
    /// The number of revocations before the request for the stream was checked.
    let revocationCount: Int
    private let session: SessionStreams
    private let state: Mutex<State>

    /// - Parameter messageLimit: the number of messages after which the stream ends; nil for no
    ///   limit.
    init(
        _ start: Start, of session: SessionStreams, timeLimit: Duration?, messageLimit: Int?,
        retry: Int, token: SecretHash?, revocationCount: Int
    ) {
        self.start = start
        self.session = session
        self.timeLimit = timeLimit
        self.retry = retry
        self.token = token
        self.revocationCount = revocationCount
        state = Mutex(State(messagesLeft: messageLimit))
    }

    // `ended` is not called if the client leaves before `begin`.
    deinit {
        if state.withLock({ $0.position == nil }) { session.release() }
    }

    // MARK: Called by the server

    func begin(on connection: any StreamConnection) { session.add(self, connection) }

    func canSend() {
        state.withLock { $0.isBehind = false }
        session.advance(self)
    }

    func heartbeat() { _ = state.withLock { $0.connection?.send(ChangeMessage.heartbeat) } }

    func check() { session.check(self) }

    func ended(_ end: StreamEnd) {
        state.withLock { $0.connection = nil }
        session.metrics.ended(end.reason)
        session.remove(self)
    }

    // MARK: Messages

    /// Sends the first bytes of the stream, with the whole state of the session unless the changes
    /// after the client's cursor lead to it.
    func start(on connection: any StreamConnection, with changes: SessionChanges) {
        let present = changes.messages.cursor(of: changes.latest)
        let (position, reason): (ChangeCursor, ChangeMessage.SnapshotReason?) =
            switch start {
            case .success(let cursor) where cursor.canLead(to: present): (cursor, nil)
            case .success: (present, .otherHistory)
            case .failure(let reason): (present, reason)
            }
        session.metrics.opened(
            reason == .opened
                ? .live
                : reason != nil ? .snapshot : position == present ? .nothingMissed : .replayed)
        let message = reason.map { changes.messages.snapshot(changes.latest, $0) }
        state.withLock { state in
            state.connection = connection
            state.position = position
            _ = connection.send(ChangeMessage.preamble(retry: retry) + (message?.bytes ?? []))
            if let message { note(message, &state) }
        }
    }

    /// Sends what follows the position, as long as the connection can take a message.
    /// - Parameter changes: the state of the session, and the changes that have led to it.
    func advance(_ changes: inout SessionChanges) {
        state.withLock { state in
            while let connection = state.connection, !state.isBehind, !state.isReading,
                let position = state.position, position.revision < changes.latest.window.revision
            {
                if let message = changes.message(after: position) {
                    send(message, on: connection, &state)
                } else {
                    state.isReading = true
                    session.read(after: position, to: changes.latest, for: self)
                }
            }
        }
    }

    /// Sends a message with the events that `SessionStreams.read` has read.
    /// - Parameter message: nil if the events could not be read. The stream then ends, and the
    ///   client learns the reason when it reconnects.
    func finishReading(_ message: ChangeMessage?) {
        state.withLock { state in
            state.isReading = false
            guard let message, let connection = state.connection else { return end(&state) }
            send(message, on: connection, &state)
        }
    }

    /// Ends the stream.
    /// - Parameter reason: the reason why the session has ended; nil if the client shall reconnect.
    func end(_ reason: ChangeMessage.EndReason? = nil) {
        state.withLock { state in
            if let reason, let connection = state.connection {
                send(.end(reason), on: connection, &state)
            }
            end(&state)
        }
    }

    private func send(
        _ message: ChangeMessage, on connection: any StreamConnection, _ state: inout State
    ) {
        state.isBehind = !connection.send(message.bytes)
        if !state.isBehind { note(message, &state) }
    }

    /// Notes that a message was sent. Ends the stream if the client has now received as many messages
    /// as it asked for.
    private func note(_ message: ChangeMessage, _ state: inout State) {
        session.metrics.sent(message.kind)
        state.position = message.position ?? state.position
        guard let left = state.messagesLeft else { return }
        state.messagesLeft = left - 1
        if left == 1 { end(&state) }
    }

    private func end(_ state: inout State) {
        state.connection?.end()
        state.connection = nil
    }
}
