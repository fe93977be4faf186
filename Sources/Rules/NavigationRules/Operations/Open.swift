/// Opens a deep link: the scene whose path matches, on top of its chain of parents. View controllers
/// that are already in place stay. At the login root, and where a guest would see a members' scene,
/// the link waits for the log-in.
public struct Open: NavigationOperation {
    public static let name = "open"
    public static let summary =
        "Opens a deep link, or keeps it until the log-in if it leads to a scene of the app."
    public static let shortForm = ShortForm.text("path")
    public static let refusals: [NavigationError.Code] =
        .growth + [
            .malformedLink, .linkNotFound, .foreignLink, .loginRequired, .alreadyLoggedIn,
            .noNavigationController, .tooManyLayers,
        ]

    public static let exactlyOne = ["path", "url"]

    /// The link if it is a path; nil if it is a URL.
    private var path: Link?
    /// The link if it is a URL; nil if it is a path.
    private var url: Link?

    public var link: Link { path ?? url ?? .path("") }

    public init() {}

    public mutating func visitMembers(_ visitor: inout some MemberVisitor & ~Copyable) {
        visitor.member(
            "path", .linkPath, &path,
            "The link as a path with percent-encoding and, if it needs one, a query.")
        visitor.member(
            "url", .linkURL, &url,
            "The link as a whole URL, with a host or a scheme of the app.")
    }

    public init(_ link: Link) {
        switch link {
        case .path: path = link
        case .url: url = link
        }
    }

    public func perform(on window: inout Window, in app: App) throws(NavigationError) {
        try app.limits.check(link)
        try window.open(link, in: app)
    }

    public func isUserAction(in window: Window, _ app: App) -> Bool { true }

    public func pendingAction(in window: Window, animated: Bool?, _ app: App) -> PendingAction? {
        let found = try? app.storyboard.resolve(link, in: app.dataSource, app.limits)
        // A link that no pattern matches has no normal form.
        let link = found.flatMap { $0.pattern == nil ? nil : Link.path($0.normalForm) } ?? link
        return PendingAction(Operation(Open(link)), animated: animated)
    }
}
