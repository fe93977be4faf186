import NavigationRules

/// The imported scenes that are in a layer of their own, because a segue presents them or the
/// container around them.
struct Presentations {
    /// The imported scenes that present a scene or the container around it, by the presented scene.
    private(set) var presenters: [SceneKey: [SceneKey]] = [:]
    /// The scenes and containers that segues present.
    private(set) var presented: Set<SceneKey> = []
    private let graph: SceneGraph
    /// The scenes that can be in a layer or in a tab without a navigation controller. A `show`
    /// segue of such a scene presents its destination.
    private var bare: Set<SceneKey> = []
    /// The scenes that can be in a navigation controller, which refuses to push another one.
    private var stacked: Set<SceneKey> = []
    /// The scenes of `bare` whose segues are still to be followed.
    private var waiting: [SceneKey] = []

    init(_ graph: SceneGraph, _ options: ImportOptions) {
        self.graph = graph
        var shown: [SceneKey: [SceneKey]] = [:]
        for key in graph.keys where graph.isImported(key) {
            for (segue, destination) in graph.segues(of: key) {
                let meaning = options.customSegues[segue.customClass ?? ""]
                if segue.presents || segue.kind == "custom" && meaning == .present {
                    present(destination, from: key)
                    addBare(destination)
                } else if segue.shows || segue.kind == "custom" && meaning == .push {
                    // The import presents a tab bar controller, which belongs on no stack.
                    if case .tabBar = graph.shown(destination) {
                        present(destination, from: key)
                    } else {
                        shown[key, default: []].append(destination)
                    }
                }
            }
        }
        stacked = closure(of: Self.roots(graph, options)) {
            shown[$0]?.flatMap(graph.contents) ?? []
        }
        addBare(graph.initial)
        let wrapped = graph.wrappedTabBars
        for key in graph.keys
        where graph.scene(key)?.kind == "tabBarController" && !wrapped.contains(key) {
            for tab in graph.contained(in: key, "viewControllers") { addBare(tab) }
        }
        while let key = waiting.popLast() {
            for destination in shown[key] ?? [] {
                present(destination, from: key)
                let scenes = isAlwaysBare(key) ? [destination] : graph.contents(of: destination)
                for scene in scenes { addBare(scene) }
            }
        }
    }

    /// Returns whether a scene is in a layer or in a tab, but in no navigation controller.
    func isAlwaysBare(_ key: SceneKey) -> Bool { bare.contains(key) && !stacked.contains(key) }

    /// Returns the roots of the navigation controllers, and the scenes around which the service
    /// puts one, because the options name them as the scene of a root.
    private static func roots(_ graph: SceneGraph, _ options: ImportOptions) -> [SceneKey] {
        let navigations = graph.keys.filter {
            graph.scene($0)?.kind == "navigationController" && !graph.embedded.contains($0)
        }
        let members = options.members
        let segments = (members["segments"]?.elements ?? []).map { $0["scene"] }
        let named = ([members["initialScene"], members["loginScene"]] + segments)
            .compactMap { $0?.text }
        return navigations.flatMap(graph.contents)
            + graph.keys.filter { graph.names[$0].map(named.contains) == true }
    }

    private mutating func present(_ destination: SceneKey, from key: SceneKey) {
        presented.insert(graph.shown(destination).key)
        for content in graph.contents(of: destination)
        where presenters[content]?.contains(key) != true {
            presenters[content, default: []].append(key)
        }
    }

    /// Notes that a scene is in no navigation controller, unless it is a container.
    private mutating func addBare(_ key: SceneKey) {
        guard case .content(let content) = graph.shown(key), bare.insert(content).inserted else {
            return
        }
        waiting.append(content)
    }
}
