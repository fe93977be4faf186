/// A transition that a scene declares. Clients perform it by its identifier.
public struct Segue: Sendable, Equatable {
    public enum Action: Sendable, Equatable {
        case show(Scene.Name)
        case push(Scene.Name)
        /// A nil style stands for the scene's `presentation` or, if that is nil too, for
        /// `pageSheet`.
        case present(Scene.Name, PresentationStyle?)
        case unwind(String)
        /// A class of the app performs the segue. The service does not know this class.
        case custom

        /// The scene that the segue shows.
        public var scene: Scene.Name? {
            switch self {
            case .show(let scene), .push(let scene), .present(let scene, _): scene
            case .unwind, .custom: nil
            }
        }
    }

    /// The name of the segue, which is unique in its scene.
    public let identifier: String
    public let action: Action
    /// Values for the parameters of the shown scene. In a value, `{book}` stands for the parameter
    /// `book` of the view controller from which the segue starts.
    public let parameters: [String: TextTemplate]

    public init(
        identifier: String, action: Action, parameters: [String: TextTemplate] = [:]
    ) {
        self.identifier = identifier
        self.action = action
        self.parameters = parameters
    }

    /// Returns the parameters for the scene that is shown. The values in `given` take precedence
    /// over the values that the segue declares, which take precedence over the parameters of
    /// `source` with the same name.
    func parameters(
        from source: ViewController, _ given: [String: String], in storyboard: Storyboard
    ) -> [String: String] {
        guard let scene = action.scene.flatMap({ storyboard.scenes[$0] }) else { return given }
        var values: [String: String] = [:]
        for name in storyboard.parameters(of: scene) { values[name] = source.parameters[name] }
        for (name, template) in parameters { values[name] = template.values(source.parameters) }
        return values.merging(given) { $1 }
    }
}

/// The scene of a view controller with which a container starts. The view controller is the root of
/// a navigation controller or, if `isBare`, in no navigation controller.
struct ContainerRoot: Sendable {
    let scene: Scene
    let isBare: Bool
}

extension [Scene.Name: Scene] {
    /// Returns the root of a navigation controller, or the roots of a tab bar controller's tabs in
    /// order; none if the storyboard declares the container without its contents. A scene that is
    /// not a container is its own root.
    func roots(of container: Scene) -> [ContainerRoot] {
        switch container.kind {
        case .navigation:
            return container.root.flatMap { self[$0] }
                .map { [ContainerRoot(scene: $0, isBare: false)] } ?? []
        case .tabBar:
            return container.tabs.compactMap { tab in
                guard let scene = self[tab.scene] else { return nil }
                guard scene.kind.isContainer else {
                    return ContainerRoot(scene: scene, isBare: true)
                }
                return scene.root.flatMap { self[$0] }
                    .map { ContainerRoot(scene: $0, isBare: false) }
            }
        case .table, .image, .form, .blank: return [ContainerRoot(scene: container, isBare: true)]
        }
    }
}

extension Storyboard {
    /// Returns the roots of a container, as `scenes.roots(of:)` does.
    func roots(of container: Scene) -> [ContainerRoot] { scenes.roots(of: container) }

    /// The names of the parameters that a scene takes, or that the contents of a container take.
    func parameters(of scene: Scene) -> [String] {
        roots(of: scene).flatMap(\.scene.parameters)
    }

    /// Whether the storyboard has a scene that deep links put on the same stack as this scene,
    /// directly above it.
    func hasChildren(_ scene: Scene) -> Bool {
        scenes.values.contains { $0.parent == scene.name && $0.presentation == nil }
    }
}
