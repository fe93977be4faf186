import HTTPCore
import JSON
import NavigationRules
import Sessions

/// A message of a stream: a server-sent event (HTML standard, section 9.2).
struct ChangeMessage: Sendable {
    enum Kind: String, CaseIterable {
        case snapshot, change, end
    }

    /// The reason why a stream sends the whole state of the session instead of a change.
    enum SnapshotReason: String, Error {
        /// The client sent no cursor.
        case opened
        /// The missed events are no longer stored, there are too many of them, or the message with
        /// the changes would be too large.
        case gap
        /// The cursor belongs to another history (see `ChangeCursor.history`), or does not name an
        /// earlier state of the session.
        case otherHistory = "other-history"
        /// The value of the `Last-Event-ID` field is not a cursor.
        case unknownCursor = "unknown-cursor"
    }

    /// The reason why a session has ended. No change of the session can follow.
    enum EndReason: String {
        case deleted, expired
    }

    let kind: Kind
    let bytes: [UInt8]
    /// The position after the message; nil if the message does not change it.
    var position: ChangeCursor?

    static func end(_ reason: EndReason) -> ChangeMessage {
        let text = "event: end\ndata: {\"reason\":\"\(reason.rawValue)\"}\n\n"
        return ChangeMessage(kind: .end, bytes: Array(text.utf8))
    }

    /// Returns the first bytes of a stream: a comment, which makes proxies forward the response at
    /// once, and the time that the client waits before it reconnects.
    /// - Parameter retry: the time in milliseconds.
    static func preamble(retry: Int) -> [UInt8] { Array(": waypost\nretry: \(retry)\n\n".utf8) }

    /// A comment that keeps the connection alive.
    static let heartbeat = Array(":\n\n".utf8)
}

/// Encodes the messages about the sessions of an app.
struct ChangeMessages: Sendable {
    /// The maximum size of a session's JSON in a message, in bytes. A message omits a larger
    /// session, and clients read it with GET.
    private static let sessionLimit = 49_152
    /// The maximum size of a change message, in bytes. The service sends the whole state in place of
    /// a larger message.
    private static let messageLimit = 65_536

    let app: App
    /// The number that identifies the current history of the store (see `ChangeCursor.history`).
    let history: UInt32

    func cursor(of state: SessionState) -> ChangeCursor {
        // A session that a seed has made again has the id of the one before it.
        let creation = UInt32(truncatingIfNeeded: state.createdAt.milliseconds)
        return ChangeCursor(
            history: history ^ creation, revision: state.window.revision,
            lastEvent: state.window.lastEvent)
    }

    /// Returns the message with the whole state of a session.
    /// - Parameter oldestEvent: the number of the oldest stored event; nil if the service has not
    ///   read the stored events. Nil omits the member `oldestEvent`.
    func snapshot(
        _ state: SessionState, _ reason: ChangeMessage.SnapshotReason, oldestEvent: Int? = nil
    ) -> ChangeMessage {
        message(.snapshot, state) { json in
            json.member("reason", reason.rawValue)
            json.member("revision", state.window.revision)
            json.member("lastEvent", state.window.lastEvent)
            if let oldestEvent { json.member("oldestEvent", oldestEvent) }
        }
    }

    /// Returns the message about one change or several changes.
    /// - Parameters:
    ///   - revision: the revision before the first change.
    ///   - events: the events of all changes.
    ///   - state: the state after the last change.
    ///   - outcome: the outcome of the change; nil for several changes.
    ///   - oldestEvent: the number of the oldest stored event; nil if the service has not read the
    ///     stored events.
    func change(
        from revision: Int, _ events: [LifecycleEvent], to state: SessionState,
        _ outcome: Outcome? = nil, oldestEvent: Int? = nil
    ) -> ChangeMessage {
        let message = message(.change, state) { json in
            json.member("from", revision)
            json.member("revision", state.window.revision)
            json.member("transition", outcome?.transition.rawValue)
            json.name("popped")
            if let outcome { json.viewControllers(outcome.popped) } else { json.null() }
            json.name("events")
            json.events(events)
            json.member("lastEvent", state.window.lastEvent)
        }
        return message.bytes.count <= Self.messageLimit
            ? message : snapshot(state, .gap, oldestEvent: oldestEvent)
    }

    /// Returns a message whose last member is the session. The data is always one line, because the
    /// JSON writer escapes all control characters.
    private func message(
        _ kind: ChangeMessage.Kind, _ state: SessionState,
        _ members: (inout JSONWriter) -> Void
    ) -> ChangeMessage {
        let position = cursor(of: state)
        var session = JSONWriter()
        session.session(state, in: app)
        let data = JSONWriter.bytes { json in
            json.object { json in
                members(&json)
                json.name("session")
                if session.size <= Self.sessionLimit {
                    json.element(session.bytes)
                } else {
                    json.null()
                }
            }
        }
        let head = "event: \(kind.rawValue)\nid: \(position)\ndata: "
        return ChangeMessage(
            kind: kind, bytes: Array(head.utf8) + data + [0x0A, 0x0A], position: position)
    }
}
