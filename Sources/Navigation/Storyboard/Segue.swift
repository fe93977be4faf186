/// A transition that a scene declares. Clients perform it by its identifier.
public struct Segue: Sendable, Equatable {
    public enum Action: Sendable, Equatable {
        case show(Scene.Name)
        case push(Scene.Name)
        /// The style is the scene's own if nil.
        case present(Scene.Name, PresentationStyle?)
        case unwind(String)
        /// A class of the app performs it, which the service does not know.
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
    /// The values of parameters of the scene that is shown. `{book}` stands for the source's parameter
    /// `book`.
    public let parameters: [String: TextTemplate]

    public init(
        identifier: String, action: Action, parameters: [String: TextTemplate] = [:]
    ) {
        self.identifier = identifier
        self.action = action
        self.parameters = parameters
    }

    /// Returns the parameters for the scene that is shown. Given values take precedence over values that
    /// the segue declares; those take precedence over the source's parameters of the same name.
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

/// The root of one navigation controller, or one bare view controller, of a container.
struct ContainerRoot: Sendable {
    let scene: Scene
    let isBare: Bool
}

extension [Scene.Name: Scene] {
    /// Returns the roots of a navigation or tab bar controller, tabs in order; none if the storyboard
    /// only names the container. The root of content is the content itself.
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
    /// Returns the roots of a container, see `roots(of:)` of its scenes.
    func roots(of container: Scene) -> [ContainerRoot] { scenes.roots(of: container) }

    /// The names of the parameters that a scene takes, or that the contents of a container take.
    func parameters(of scene: Scene) -> [String] {
        roots(of: scene).flatMap(\.scene.parameters)
    }

    /// Whether a deep link can put a scene above this one, in its layer.
    func hasChildren(_ scene: Scene) -> Bool {
        scenes.values.contains { $0.parent == scene.name && $0.presentation == nil }
    }
}
