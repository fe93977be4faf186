/// A segue that a scene of the storyboard declares: a transition to another scene or, for an unwind
/// segue, back to an earlier view controller.
public struct Segue: Sendable, Equatable {
    public enum Action: Sendable, Equatable {
        case show(Scene.Name)
        case push(Scene.Name)
        /// Presents a scene modally. A nil style stands for the `presentation` of the scene or, if
        /// the scene has none, for `automatic`.
        case present(Scene.Name, PresentationStyle?)
        case unwind(String)
        /// Dismisses the layer of the view controller from which the segue starts.
        case dismiss
        /// A custom segue, which a class in the UIKit app performs. The service does not have this
        /// class and cannot perform the segue.
        case custom

        /// The name of the scene that the segue shows; nil for the other kinds.
        public var scene: Scene.Name? {
            switch self {
            case .show(let scene), .push(let scene), .present(let scene, _): scene
            case .unwind, .dismiss, .custom: nil
            }
        }

        /// The unwind action that the segue performs; nil for any other segue.
        var unwindAction: String? {
            if case .unwind(let action) = self { action } else { nil }
        }
    }

    /// The name by which clients perform the segue. It is unique within the scene that declares the
    /// segue, except for two segues with opposite conditions.
    public let identifier: String
    public let action: Action
    /// The values that the segue passes to the parameters of the scene that it shows. In a value,
    /// `{book}` stands for the parameter `book` of the view controller from which the segue starts.
    public let parameters: [String: TextTemplate]
    /// The condition under which the segue is performed; nil if it always is.
    public let when: FlagCondition?

    public init(
        identifier: String, action: Action, parameters: [String: TextTemplate] = [:],
        when: FlagCondition? = nil
    ) {
        self.identifier = identifier
        self.action = action
        self.parameters = parameters
        self.when = when
    }

    /// Returns the parameter values for the scene that the segue shows. A value in `given`, which
    /// the client or the selected row supplies, takes precedence over the value that the segue
    /// declares. A value that the segue declares takes precedence over the parameter of `source`
    /// with the same name. A value that is nothing but an absent parameter of `source` stays absent if
    /// the scene can do without it; otherwise it is empty.
    func parameters(
        from source: ViewController, _ given: [String: String], in storyboard: Storyboard
    ) -> [String: String] {
        guard let scene = action.scene.flatMap({ storyboard.scenes[$0] }) else { return given }
        var values: [String: String] = [:]
        for name in storyboard.parameters(of: scene) { values[name] = source.parameters[name] }
        for (name, template) in parameters {
            let isLeftOut =
                template.isAbsent(source.parameters)
                && !storyboard.roots(of: scene).contains {
                    $0.scene.requiredParameters.contains(name)
                }
            values[name] = isLeftOut ? nil : template.values(source.parameters)
        }
        return values.merging(given) { $1 }
    }
}

extension Scene {
    /// Returns the name of a segue for findings and coverage: the scene and the identifier, and the
    /// condition where another segue has the same identifier.
    package func key(of segue: Segue) -> String {
        let others = segues.filter { $0.identifier == segue.identifier }
        guard others.count > 1, let when = segue.when else { return "\(name).\(segue.identifier)" }
        return "\(name).\(segue.identifier) \(when.text)"
    }
}

/// The scene of the first view controller in a navigation controller or in a tab. If `isBare` is
/// true, the view controller is in no navigation controller: a tab or a presentation shows it
/// directly.
struct ContainerRoot: Sendable {
    let scene: Scene
    let isBare: Bool
}

extension [Scene.Name: Scene] {
    /// Returns the scenes of the first view controllers in a container: one scene for a navigation
    /// controller, and one for each tab of a tab bar controller, in order. The result is empty if
    /// the storyboard declares the container without contents. For a scene that is not a container,
    /// the result has only this scene.
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
    /// Returns the scenes of the first view controllers in a container: the root of a navigation
    /// controller, or the root of each tab. For a scene that is not a container, the result has
    /// only this scene.
    func roots(of container: Scene) -> [ContainerRoot] { scenes.roots(of: container) }

    /// Returns whether a scene with which sessions start is in no navigation controller there.
    func isBareRoot(_ scene: Scene) -> Bool { initialIsBare && scene === initialScene }

    /// Returns the names of the parameters that a new view controller of the scene takes. For a
    /// container, these are the parameters that its root view controllers take.
    func parameters(of scene: Scene) -> [String] {
        roots(of: scene).flatMap(\.scene.parameters)
    }
}
