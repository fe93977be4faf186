import NavigationRules
import WaypostCore

/// An entry in the list of the sessions that are logged in to an account, with the visible view
/// controller.
public struct AccountSession: Sendable {
    public let id: SessionID
    /// The name that a client has given the session; nil if none.
    public let name: String?
    public let topViewController: ViewController
    public let revision: Int
    public let createdAt: Timestamp
    public let expiresAt: Timestamp

    /// The place of the session in the list, which begins with the newest session.
    public var position: SessionPosition { SessionPosition(createdAt: createdAt, id: id) }
}

extension AccountSession {
    /// Restores the visible view controller of a listed session. If the app no longer has its scene
    /// or its data, this is the one at the root, where the session starts again.
    init(_ session: ListedSession, in app: App) {
        let auth = Auth.loggedIn(username: nil)
        let top = session.summary.flatMap { ViewController($0, under: auth, in: app) }
        self.init(
            id: session.id, name: session.name,
            topViewController: top ?? ViewController(atRootFor: auth, in: app),
            revision: session.revision, createdAt: session.createdAt,
            expiresAt: session.expiresAt)
    }

    init(_ session: SessionState) {
        self.init(
            id: session.id, name: session.name, topViewController: session.window.topViewController,
            revision: session.window.revision, createdAt: session.createdAt,
            expiresAt: session.expiresAt)
    }
}
