/// The imported scenes that are in a layer of their own, because a segue presents them or the
/// container around them.
struct Presentations {
    /// The imported scenes that present a scene or the container around it, by the presented scene.
    private(set) var presenters: [SceneKey: [SceneKey]] = [:]
    /// The scenes that can be in a layer or in a tab without a navigation controller. A `show`
    /// segue of such a scene presents its destination.
    private var bare: Set<SceneKey> = []
    private let graph: SceneGraph
    private let customSegues: [String: ImportOptions.CustomSegue]

    init(_ graph: SceneGraph, _ options: ImportOptions) {
        self.graph = graph
        customSegues = options.customSegues
        let keys = graph.keys.filter {
            !graph.embedded.contains($0) && graph.scene($0)?.isContainer == false
        }
        let segues = keys.flatMap { key in
            graph.embedding(key).flatMap { source in
                (graph.scene(source)?.segues ?? []).compactMap { segue in
                    graph.sibling(segue.destination, of: source).map { (key, segue, $0) }
                }
            }
        }
        addBare(graph.initial)
        let wrapped = graph.wrappedTabBars
        for key in graph.keys
        where graph.scene(key)?.kind == "tabBarController" && !wrapped.contains(key) {
            for tab in graph.contained(in: key, "viewControllers") { addBare(tab) }
        }
        var count = -1
        while count != bare.count {
            count = bare.count
            for (key, segue, destination) in segues { add(segue, from: key, to: destination) }
        }
    }

    private mutating func addBare(_ key: SceneKey) {
        if case .content(let content) = graph.shown(key) { bare.insert(content) }
    }

    private mutating func add(
        _ segue: XcodeSegue, from key: SceneKey, to destination: SceneKey
    ) {
        var contents = graph.contents(of: destination)
        let meaning = segue.kind == "custom" ? customSegues[segue.customClass ?? ""] : nil
        if segue.presents || meaning == .present {
            addBare(destination)
        } else if segue.shows || meaning == .push {
            if case .tabBar = graph.shown(destination) {
                // The import presents a tab bar controller, which belongs on no stack.
            } else if bare.contains(key) {
                bare.formUnion(contents)
            } else {
                contents = []
            }
        } else {
            contents = []
        }
        for content in contents where presenters[content]?.contains(key) != true {
            presenters[content, default: []].append(key)
        }
    }
}
