/// Shows the app root for a user whose password has been verified, and opens the link that waited
/// for the log-in. Clients log in with a route of its own.
public struct LogIn: NavigationOperation {
    public static let name = Scene.Submission.logIn.rawValue
    /// The name of a log-in with a new account.
    public static let signUpName = Scene.Submission.signUp.rawValue
    public static let summary = "Logs a user in."
    public static let isAnimatedByDefault = false
    public static let refusals: [NavigationError.Code] = [.alreadyLoggedIn, .noLogin]

    public var username = ""

    public init() {}

    public mutating func visitMembers(_ visitor: inout some MemberVisitor & ~Copyable) {
        visitor.member("username", required: .text, &username, "The user.")
    }

    public init(username: String) { self.username = username }

    public func perform(on window: inout Window, in app: App) throws(NavigationError) {
        guard app.storyboard.loginScene != nil else { throw .noLogin }
        guard window.auth == .loggedOut else { throw .alreadyLoggedIn }
        window.swapRoot(to: .loggedIn(username: username), in: app)
        guard let link = window.pendingLink else { return }
        window.pendingLink = nil
        // A pending link that cannot be opened must not prevent the log-in.
        var opened = window
        guard (try? opened.open(.path(link), in: app)) != nil,
            (try? opened.checkSize(replacing: window, app.limits)) != nil
        else { return }
        window = opened
    }

    public func isUserAction(in window: Window, _ app: App) -> Bool { true }
}

/// Shows the login root. If no user is logged in, nothing happens.
public struct LogOut: NavigationOperation {
    public static let name = "log-out"
    public static let summary = "Logs the user out."
    public static let isAnimatedByDefault = false
    public static let refusals: [NavigationError.Code] = [.noLogin]

    public init() {}

    public mutating func visitMembers(_ visitor: inout some MemberVisitor & ~Copyable) {}

    public func perform(on window: inout Window, in app: App) throws(NavigationError) {
        guard app.storyboard.loginScene != nil else { throw .noLogin }
        guard window.auth != .loggedOut else { return }
        window.swapRoot(to: .loggedOut, in: app)
    }

    public func isUserAction(in window: Window, _ app: App) -> Bool { true }
}
