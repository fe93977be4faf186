/// Performs a segue, as `performSegue(withIdentifier:sender:)` does.
public struct PerformSegue: NavigationOperation {
    public static let name = "perform-segue"
    public static let summary = "Performs a segue of a view controller on screen."
    public static let shortForm = ShortForm.text("identifier")
    public static let refusals: [NavigationError.Code] = .segue + [.segueNotFound]

    public var identifier = ""
    public var parameters: [String: String]?
    public var from: ViewController.ID?

    public init() {}

    public mutating func visitMembers(_ visitor: inout some MemberVisitor & ~Copyable) {
        visitor.member("identifier", required: .text, &identifier, "The identifier of the segue.")
        visitor.member(
            "parameters", .parameters, &parameters,
            "The values of parameters that the segue does not set itself.")
        visitor.member(
            "from", .viewController, &from,
            "The id of the view controller that performs the segue; by default the visible one.")
    }

    public init(
        _ identifier: String, parameters: [String: String]? = nil,
        from: ViewController.ID? = nil
    ) {
        self.identifier = identifier
        self.parameters = parameters
        self.from = from
    }

    public func perform(on window: inout Window, in app: App) throws(NavigationError) {
        try window.performSegue(identifier, parameters ?? [:], from: from, in: app)
    }

    public func isUserAction(in window: Window, _ app: App) -> Bool {
        from == nil && (parameters ?? [:]).isEmpty
            && window.hasTap(performing: identifier, in: app)
    }

    public func pendingAction(in window: Window, animated: Bool?, _ app: App) -> PendingAction? {
        guard from == nil else { return nil }
        return PendingAction(
            viewController: window.topViewController.id, Operation(self), animated: animated)
    }
}
