/// Logs in a user whose password has been verified, and carries out the action that waited for the
/// log-in. The window then shows the app root; a guest, who sees it already, stays there. Clients
/// log in with a route of its own.
public struct LogIn: NavigationOperation {
    public static let name = Scene.Submission.logIn.rawValue
    /// The name of a log-in with a new account.
    public static let signUpName = Scene.Submission.signUp.rawValue
    public static let summary = "Logs a user in."
    public static let isAnimatedByDefault = false
    public static let refusals: [NavigationError.Code] = [
        .alreadyLoggedIn, .noLogin, .notAUserAction,
    ]

    public var username = ""
    /// What a form submits to log in like this.
    public var submission = Scene.Submission.logIn

    public init() {}

    public mutating func visitMembers(_ visitor: inout some MemberVisitor & ~Copyable) {
        visitor.member("username", required: .text, &username, "The user.")
    }

    public init(username: String, isSignUp: Bool = false) {
        self.username = username
        submission = isSignUp ? .signUp : .logIn
    }

    public func perform(on window: inout Window, in app: App) throws(NavigationError) {
        guard app.storyboard.loginScene != nil else { throw .noLogin }
        guard !window.isLoggedIn else { throw .alreadyLoggedIn }
        try checkForm(in: window, app)
        let pending = window.pending
        window.pending = nil
        if case .guest = window.auth {
            window.logInGuest(as: username, in: app)
        } else {
            window.swapRoot(to: .loggedIn(username: username), in: app)
        }
        window.normalize()
        if let pending { window.carryOut(pending, in: app) }
    }

    /// Checks that the visible form of a strict session submits this log-in or sign-up.
    /// - Throws: `.noFormToSubmit`.
    private func checkForm(in window: Window, _ app: App) throws(NavigationError) {
        guard window.isStrict, window.topViewController.scene.submit != submission else { return }
        let forms = app.storyboard.scenes.values.filter { $0.submit == submission }
        throw .noFormToSubmit(submission, forms.map(\.name).sorted())
    }

    /// The operation checks itself, after the checks that are more precise.
    public func isUserAction(in window: Window, _ app: App) -> Bool { true }
}

/// Shows the login root or, in an app with guests, a new app root. If no user is logged in, nothing
/// happens.
public struct LogOut: NavigationOperation {
    public static let name = "log-out"
    public static let summary = "Logs the user out."
    public static let isAnimatedByDefault = false
    public static let refusals: [NavigationError.Code] = [.noLogin]

    public init() {}

    public mutating func visitMembers(_ visitor: inout some MemberVisitor & ~Copyable) {}

    public func perform(on window: inout Window, in app: App) throws(NavigationError) {
        guard app.storyboard.loginScene != nil else { throw .noLogin }
        guard window.isLoggedIn else { return }
        window.swapRoot(to: .withoutUser(in: app.storyboard), in: app)
    }

    public func isUserAction(in window: Window, _ app: App) -> Bool { true }
}
