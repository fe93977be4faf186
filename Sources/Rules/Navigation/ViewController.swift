internal import NavigationRules

/// A view controller: one instance of a scene, on a navigation stack.
public struct ViewController: Sendable, Equatable {
    /// The id, such as `vc12`, which no other view controller of the window ever has.
    public let id: String
    /// The name of the scene in the storyboard.
    public let scene: String
    /// The title that the navigation bar shows for it; nil for no title.
    public let title: String?
    /// The values of the scene's parameters, by name.
    public let parameters: [String: String]

    init(_ viewController: NavigationRules.ViewController) {
        id = viewController.id.description
        scene = viewController.scene.name
        title = viewController.effectiveTitle
        let (names, values) = (viewController.parameters.names, viewController.parameters.values)
        parameters = Dictionary(uniqueKeysWithValues: zip(names, values))
    }
}

/// A layer of a window: the root layer, or a modal presentation above it.
public struct Layer: Sendable, Equatable {
    /// The style of the presentation, such as `pageSheet`; nil for the root layer.
    public let presentationStyle: String?
    /// The navigation stacks of the tabs, each from its root to its top; one stack for a layer
    /// without tabs.
    public let stacks: [[ViewController]]
    /// The index of the selected tab in `stacks`; 0 for a layer without tabs.
    public let selectedTab: Int

    init(_ layer: NavigationRules.Layer) {
        presentationStyle = layer.presentationStyle?.rawValue
        stacks = layer.navigationControllers.map {
            $0.stack.viewControllers.map(ViewController.init)
        }
        selectedTab = layer.selectedIndex
    }
}
