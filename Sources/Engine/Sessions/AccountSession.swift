import NavigationRules
import WaypostCore

/// An entry in the list of the sessions that are logged in to an account, with the visible view
/// controller.
public struct AccountSession: Sendable {
    public let listed: ListedSession
    public let topViewController: ViewController
}

extension AccountSession {
    /// Restores the visible view controller of a listed session. If the app no longer has its scene
    /// or its data, this is the one at the root, where the session starts again.
    init(_ listed: ListedSession, in app: App) {
        let auth = Auth.loggedIn(username: nil)
        let top = listed.summary.flatMap { ViewController($0, under: auth, in: app) }
        self.init(
            listed: listed, topViewController: top ?? ViewController(atRootFor: auth, in: app))
    }

    init(_ session: SessionState) {
        self.init(
            listed: ListedSession(.state(session)),
            topViewController: session.window.topViewController)
    }
}
