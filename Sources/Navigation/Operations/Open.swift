/// Opens a deep link: the scene whose path matches, on top of its chain of parents. View controllers
/// that are already in place stay. At the login root, the link waits for the log-in.
public struct Open: NavigationOperation {
    public static let name = "open"
    public static let summary =
        "Opens a deep link, or keeps it until the log-in if it leads to a scene of the app."
    public static let shortForm = ShortForm.text("path")
    public static let refusals: [NavigationError.Code] =
        .growth + [
            .malformedLink, .linkNotFound, .alreadyLoggedIn, .noNavigationController,
            .tooManyLayers,
        ]

    public var link = Link(path: "", segments: [])

    public init() {}

    public mutating func visitMembers(_ visitor: inout some MemberVisitor & ~Copyable) {
        visitor.member(
            "path", required: .link, &link,
            "The link: an absolute path with percent-encoding, without a query.")
    }

    public init(_ link: Link) { self.link = link }

    public func perform(on window: inout Window, in app: App) throws(NavigationError) {
        try window.open(link, in: app)
    }

    public func isUserAction(in window: Window, _ app: App) -> Bool { true }
}
