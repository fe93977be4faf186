/// A value that names the view controller which an operation shows: a new one of a scene, or an
/// existing one.
public protocol ShowsViewController: MemberList {
    var scene: Scene.Name? { get set }
    var parameters: [String: String]? { get set }
    var viewController: ViewController.ID? { get set }
}

extension ShowsViewController {
    public init(_ target: Target) {
        self.init()
        switch target {
        case .scene(let name, let parameters):
            scene = name
            self.parameters = parameters.isEmpty ? nil : parameters
        case .instance(let id): viewController = id
        }
    }

    public init(scene: Scene.Name, parameters: [String: String] = [:]) {
        self.init(.scene(scene, parameters: parameters))
    }

    var target: Target {
        if let viewController { return .instance(viewController) }
        return .scene(scene ?? "", parameters: parameters ?? [:])
    }

    public static var exactlyOne: [String] { sceneOrViewController }

    mutating func visitTarget(_ visitor: inout some MemberVisitor & ~Copyable) {
        visitor.member("scene", .sceneName, &scene, "The scene of a new view controller.")
        visitor.member(
            "parameters", .parameters, &parameters, with: "scene",
            "The values of the scene's parameters.")
        visitor.member(
            "viewController", .viewController, &viewController,
            "The id of an existing view controller.")
    }
}

/// The view controller that an operation shows: a new one or an existing one.
public enum Target: Sendable, Equatable {
    /// A new view controller of the scene with this name.
    case scene(Scene.Name, parameters: [String: String])
    /// The existing view controller with this id. It is on the stack that the operation changes, or
    /// it belongs to a segment and is on no stack (see `Segments.kept`).
    case instance(ViewController.ID)
}

/// An operation on the stack of one navigation controller.
public protocol StackOperation: NavigationOperation {
    /// The id of the navigation controller; nil stands for the one that contains the visible view
    /// controller.
    var navigationController: NavigationController.ID? { get set }
}

extension StackOperation {
    /// Returns the operation on another navigation controller than that of the visible view
    /// controller.
    public func on(_ id: NavigationController.ID?) -> Self {
        var operation = self
        operation.navigationController = id
        return operation
    }

    func position(in window: Window) throws(NavigationError) -> StackPosition {
        guard let navigationController else { return window.activePosition }
        return try window.position(of: navigationController)
    }

    mutating func visitNavigationController(_ visitor: inout some MemberVisitor & ~Copyable) {
        visitor.member(
            "navigationController", .navigationController, &navigationController,
            "The id of the navigation controller whose stack changes; by default the one that contains the visible view controller."
        )
    }
}

/// An array of its own, so that no request makes one.
private let sceneOrViewController = ["scene", "viewController"]
