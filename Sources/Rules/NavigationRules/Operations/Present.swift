/// Presents a scene modally, as `present(_:animated:completion:)` does.
public struct Present: NavigationOperation {
    public static let name = "present"
    public static let summary = "Presents a scene modally, in a new layer."
    public static let shortForm = ShortForm.text("scene")
    public static let refusals: [NavigationError.Code] =
        .newViewController + .growth + .presentation

    public var scene: Scene.Name = ""
    public var parameters: [String: String]?
    public var presentationStyle: PresentationStyle?
    public var isModalInPresentation: Bool?
    public var from: ViewController.ID?

    public init() {}

    public mutating func visitMembers(_ visitor: inout some MemberVisitor & ~Copyable) {
        visitor.member(
            "scene", required: .sceneName, &scene, "The scene, which may be a container.")
        visitor.member(
            "parameters", .parameters, &parameters, "The values of the scene's parameters.")
        visitor.member(
            "presentationStyle", .choice, &presentationStyle,
            "The style of the presentation; by default that of the scene, or else `automatic`.")
        visitor.member(
            "isModalInPresentation", .boolean, &isModalInPresentation,
            "Whether a swipe must not dismiss the layer; by default the value of the scene.")
        visitor.member(
            "from", .viewController, &from,
            "The id of the presenting view controller; by default the visible one.")
    }

    public init(
        scene: Scene.Name, parameters: [String: String]? = nil, style: PresentationStyle? = nil,
        isModalInPresentation: Bool? = nil, from: ViewController.ID? = nil
    ) {
        self.scene = scene
        self.parameters = parameters
        presentationStyle = style
        self.isModalInPresentation = isModalInPresentation
        self.from = from
    }

    public func perform(on window: inout Window, in app: App) throws(NavigationError) {
        try window.present(self, in: app)
    }
}
