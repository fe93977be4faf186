/// Pops until a view controller is on top, as `popToViewController(_:animated:)` does.
public struct PopTo: StackOperation {
    public static let name = "pop-to"
    public static let summary =
        "Pops until a view controller is on top: the one with this id, or the nearest of this "
        + "scene below the top."
    public static let exactlyOne = ["viewController", "scene"]
    public static let shortForm = ShortForm.text("scene", reference: "viewController")
    public static let refusals: [NavigationError.Code] =
        .navigationController + [.viewControllerNotFound, .sceneNotFound, .notOnStack]

    public var viewController: ViewController.ID?
    public var scene: Scene.Name?
    public var navigationController: NavigationController.ID?

    public init() {}

    public mutating func visitMembers(_ visitor: inout some MemberVisitor & ~Copyable) {
        visitor.member(
            "viewController", .viewController, &viewController,
            "The id of a view controller on the stack.")
        visitor.member("scene", .sceneName, &scene, "The scene of a view controller below the top.")
        visitNavigationController(&visitor)
    }

    public init(_ id: ViewController.ID) { viewController = id }

    public init(scene: Scene.Name) { self.scene = scene }

    public func perform(on window: inout Window, in app: App) throws(NavigationError) {
        let position = try position(in: window)
        if let viewController {
            try window.requireNavigationController(at: position)
            guard let index = window[position].index(of: viewController) else {
                // The view controller is on another stack, or belongs to a segment and is on no
                // stack. The lookup throws if there is no view controller with this id.
                throw .notOnStack(try window.viewController(viewController).id)
            }
            return window.pop(at: position, to: index)
        }
        let name = scene ?? ""
        guard app.storyboard.scenes[name] != nil else { throw .sceneNotFound(name) }
        try window.requireNavigationController(at: position)
        let below = window[position].viewControllers.dropLast()
        guard let index = below.lastIndex(where: { $0.scene.name == name }) else {
            throw .sceneNotBelowTop(name)
        }
        window.pop(at: position, to: index)
    }
}
