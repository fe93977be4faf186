import Sessions
import Synchronization

/// The bodies of the newest answers that show a session: who polls a session gets what was written
/// once. As many as fit, and none of a deep stack: 16 MiB at most, whatever clients ask for.
final class SessionBodies: Sendable {
    private struct Body {
        let session: SessionID
        let revision: Int
        /// Nil as long as it has been asked for once: most are not asked for again.
        var bytes: [UInt8]?
    }

    private final class Place: Sendable {
        let body = Mutex<Body?>(nil)
    }

    /// In bytes.
    private static let largest = 4096

    private let places = (0..<4096).map { _ in Place() }

    /// - Parameter write: what shows the session, which only its revision changes.
    func bytes(of session: SessionRecord, _ write: () -> [UInt8]) -> [UInt8] {
        let place = places[session.id.part(of: places.count)]
        let revision = session.window.revision
        let (isKnown, kept) = place.body.withLock { body -> (Bool, [UInt8]?) in
            if let body, body.session == session.id, body.revision == revision {
                return (true, body.bytes)
            }
            body = Body(session: session.id, revision: revision)
            return (false, nil)
        }
        if let kept { return kept }
        let bytes = write()
        guard isKnown, bytes.count <= Self.largest else { return bytes }
        place.body.withLock {
            $0 = Body(session: session.id, revision: revision, bytes: bytes)
        }
        return bytes
    }
}
