import Accounts
import JSON
import Navigation
import Sessions

/// A session and the events of its changes as they are stored. Made on the thread that commits, so that
/// the one thread that writes has less to do. A class, as it is passed from hand to hand.
final class SessionRow: Sendable {
    let id: SessionID
    let tokenHash: SecretHash
    let createdAt: Timestamp
    let expiresAt: Timestamp
    let revision: Int
    let window: [UInt8]
    let credential: SecretHash?
    let credentialRefusal: CredentialRefusal?
    let events: EventBatch?

    init(_ session: StoredSession, _ events: [LifecycleEvent]) {
        id = session.id
        tokenHash = session.tokenHash
        createdAt = session.createdAt
        expiresAt = session.expiresAt
        revision = session.window.revision
        var json = JSONWriter(capacity: 512)
        json.window(session.window)
        window = json.bytes
        credential = session.credential
        credentialRefusal = session.credentialRefusal
        self.events = EventBatch(events)
    }
}
