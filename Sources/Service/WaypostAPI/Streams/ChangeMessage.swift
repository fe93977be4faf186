import HTTPCore
import JSON
import NavigationRules
import Sessions

/// The reason why a stream sends a snapshot, which is the session's whole state, instead of a
/// change.
enum SnapshotReason: String, CaseIterable {
    /// The client sent no cursor, so it needs the whole state.
    case opened
    /// The missed events are no longer stored, there are too many of them, or the message with the
    /// changes would be too large.
    case gap
    /// The cursor belongs to another history (see `ChangeCursor.history`), or does not name an
    /// earlier state of the session.
    case otherHistory = "other-history"
    /// The value of the `Last-Event-ID` field is not a cursor.
    case unknownCursor = "unknown-cursor"
}

/// The reason why a session has ended. No change of the session can follow.
enum StreamEnding: String {
    case deleted, expired
}

/// Encodes the messages of change streams as server-sent events (HTML standard, section 9.2).
struct ChangeMessages: Sendable {
    /// The maximum size of a session's JSON in a message, in bytes. A message omits a larger
    /// session, and clients read it with GET.
    private static let sessionLimit = 49_152
    /// The maximum size of a change message, in bytes. The service sends a snapshot in place of a
    /// larger message.
    private static let messageLimit = 65_536

    let app: App
    /// The number that identifies the current history and is the first part of each cursor (see
    /// `ChangeCursor.history`).
    let history: UInt32

    func cursor(of session: SessionState) -> ChangeCursor {
        ChangeCursor(
            history: history, revision: session.window.revision,
            lastEvent: session.window.lastEvent)
    }

    /// Returns the first bytes of a stream: a comment, which makes proxies forward the response at
    /// once, and the time that the client waits before it reconnects.
    /// - Parameter retry: the time in milliseconds.
    static func preamble(retry: Int) -> [UInt8] { Array(": waypost\nretry: \(retry)\n\n".utf8) }

    /// A comment that keeps the connection alive.
    static let heartbeat = StreamFrame(Array(":\n\n".utf8))

    /// Returns the message with the whole state of a session.
    /// - Parameter oldestEvent: the number of the oldest stored event; nil if the service has not
    ///   read the stored events. Nil omits the member `oldestEvent`.
    func snapshot(
        _ session: SessionState, _ reason: SnapshotReason, oldestEvent: Int? = nil
    ) -> [UInt8] {
        let content = encoded(session)
        return message("snapshot", cursor(of: session)) { json in
            json.member("reason", reason.rawValue)
            json.member("revision", session.window.revision)
            json.member("lastEvent", session.window.lastEvent)
            if let oldestEvent { json.member("oldestEvent", oldestEvent) }
            json.session(content)
        }
    }

    /// Returns the message about one change.
    /// - Returns: nil if the message would be too large.
    func change(_ change: ChangeResult) -> [UInt8]? {
        self.change(
            from: change.session.window.revision - 1, change.outcome.events, change.session
        ) { json in
            json.member("transition", change.outcome.transition.rawValue)
            json.name("popped")
            json.viewControllers(change.outcome.popped)
        }
    }

    /// Returns one message about several changes.
    /// - Parameters:
    ///   - revision: the revision before the first change.
    ///   - events: the events of all changes.
    ///   - session: the state after the last change.
    /// - Returns: nil if the message would be too large.
    func changes(
        from revision: Int, _ events: [LifecycleEvent], to session: SessionState
    ) -> [UInt8]? {
        change(from: revision, events, session) { json in
            json.name("transition")
            json.null()
            json.name("popped")
            json.null()
        }
    }

    private func change(
        from revision: Int, _ events: [LifecycleEvent], _ session: SessionState,
        _ transition: (inout JSONWriter) -> Void
    ) -> [UInt8]? {
        let content = encoded(session)
        let bytes = message("change", cursor(of: session)) { json in
            json.member("from", revision)
            json.member("revision", session.window.revision)
            transition(&json)
            json.name("events")
            json.events(events)
            json.member("lastEvent", session.window.lastEvent)
            json.session(content)
        }
        return bytes.count <= Self.messageLimit ? bytes : nil
    }

    static func end(_ ending: StreamEnding) -> StreamFrame {
        StreamFrame(Array("event: end\ndata: {\"reason\":\"\(ending.rawValue)\"}\n\n".utf8))
    }

    /// Returns a session as JSON; nil if the JSON is too large for a message.
    private func encoded(_ session: SessionState) -> [UInt8]? {
        var json = JSONWriter()
        json.session(session, in: app)
        return json.size <= Self.sessionLimit ? json.bytes : nil
    }

    /// Returns the bytes of a server-sent event with JSON data. The data is always one line,
    /// because the JSON writer escapes all control characters.
    private func message(
        _ event: String, _ cursor: ChangeCursor, _ members: (inout JSONWriter) -> Void
    ) -> [UInt8] {
        var json = JSONWriter()
        json.object(members)
        return Array("event: \(event)\nid: \(cursor)\ndata: ".utf8) + json.bytes + [0x0A, 0x0A]
    }
}

extension JSONWriter {
    fileprivate mutating func session(_ content: [UInt8]?) {
        name("session")
        if let content { element(content) } else { null() }
    }
}
