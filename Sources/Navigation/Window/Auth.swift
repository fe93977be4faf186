/// Who uses the session. It decides the window's root, so that the two can never be seen apart.
public enum Auth: Sendable, Equatable {
    case loggedOut
    /// Without a username in an app that has no login.
    case loggedIn(username: String?)
}
