import JSON
import Navigation
import Sessions

/// A session and the events of a change as they are stored. Made by who commits, so that the one
/// thread that writes has less to do.
struct SessionRow: Sendable {
    let session: StoredSession
    let window: [UInt8]
    let events: EventGroup?

    init(_ session: StoredSession, _ events: [LifecycleEvent]) {
        self.session = session
        var json = JSONWriter(capacity: 512)
        json.window(session.window)
        window = json.bytes
        self.events = EventGroup(events)
    }
}
