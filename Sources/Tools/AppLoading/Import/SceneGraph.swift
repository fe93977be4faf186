/// Identifies a scene of an Xcode project by its storyboard and its object id. The object id alone
/// is not enough, because it is unique only in its file.
struct SceneKey: Hashable {
    let storyboard: Int
    let id: String
}

/// The scenes of all storyboards of an Xcode project, and what a user sees when a scene is shown.
struct SceneGraph {
    /// The view controllers that a user sees when a scene is shown: a single view controller, a
    /// navigation controller with its root, or a tab bar controller.
    indirect enum Shown {
        case content(SceneKey)
        case navigation(SceneKey, root: SceneKey)
        case tabBar(SceneKey)

        /// The single view controller or the container.
        var key: SceneKey {
            switch self {
            case .content(let key), .navigation(let key, _), .tabBar(let key): key
            }
        }
    }

    let project: XcodeProject
    /// The keys of all scenes. The scenes of the storyboard with which the app starts come first.
    let keys: [SceneKey]
    let names: [SceneKey: String]
    /// The scenes that are no scenes of their own, because other scenes embed them and nothing else
    /// shows them. Containers among them are with the scenes that only they contain.
    private(set) var embedded: Set<SceneKey> = []
    /// The scenes to which the initial view controller leads, directly or through other scenes.
    private(set) var reachable: Set<SceneKey> = []
    private let scenes: [SceneKey: XcodeScene]

    init(_ project: XcodeProject) {
        self.project = project
        var keys: [SceneKey] = []
        var scenes: [SceneKey: XcodeScene] = [:]
        let order = [project.entry] + project.storyboards.indices.filter { $0 != project.entry }
        for index in order {
            for scene in project.storyboards[index].scenes {
                let key = SceneKey(storyboard: index, id: scene.id)
                if scenes.updateValue(scene, forKey: key) == nil { keys.append(key) }
            }
        }
        self.keys = keys
        self.scenes = scenes
        names = SceneNames.names(of: keys, in: project, scenes)
        let edges = edges
        reachable = Self.reachable(from: initial, edges)
        embedded = Self.embedded(edges, besides: instantiated.union([initial]))
    }

    /// The initial view controller of the storyboard with which the app starts.
    var initial: SceneKey {
        let id = project.storyboards[project.entry].initialViewController ?? ""
        return resolved(SceneKey(storyboard: project.entry, id: id))
    }

    /// Whether the app starts with a view controller that is in no container.
    var initialIsBare: Bool {
        guard case .content(let content) = shown(initial) else { return false }
        return hasContent(content)
    }

    /// The scenes that the app's source code creates by their storyboard identifiers.
    private var instantiated: Set<SceneKey> { Set(keys.filter(isInstantiated)) }

    /// Returns whether a scene becomes a scene with content of the imported storyboard.
    func isImported(_ key: SceneKey) -> Bool { hasContent(key) && !embedded.contains(key) }

    /// Returns whether a scene is neither a container nor a reference.
    func hasContent(_ key: SceneKey) -> Bool {
        guard let scene = scenes[key] else { return false }
        return !scene.isContainer && scene.reference == nil
    }

    func scene(_ key: SceneKey) -> XcodeScene? { scenes[key] }

    /// Returns the key of the scene with this object id in the storyboard of `key`; nil if the
    /// storyboard has no such scene.
    func sibling(_ id: String, of key: SceneKey) -> SceneKey? {
        let sibling = SceneKey(storyboard: key.storyboard, id: id)
        return scenes[sibling] == nil ? nil : sibling
    }

    /// Returns the key of the scene to which a storyboard reference refers; nil if the project has
    /// no such scene.
    /// - Parameter key: a scene in the storyboard that contains the reference.
    func target(of reference: XcodeReference, in key: SceneKey) -> SceneKey? {
        var storyboard: Int? = key.storyboard
        if let name = reference.storyboardName {
            storyboard = project.storyboards.firstIndex { $0.name == name }
        }
        guard let storyboard, reference.bundleIdentifier == nil else { return nil }
        let file = project.storyboards[storyboard]
        if let identifier = reference.referencedIdentifier {
            return file.scenes.first { $0.storyboardIdentifier == identifier }
                .map { SceneKey(storyboard: storyboard, id: $0.id) }
        }
        return file.initialViewController.map { SceneKey(storyboard: storyboard, id: $0) }
            .flatMap { scenes[$0] == nil ? nil : $0 }
    }

    /// Returns whether the app's source code creates a scene by its storyboard identifier.
    func isInstantiated(_ key: SceneKey) -> Bool {
        scenes[key]?.storyboardIdentifier.map(project.instantiated.contains) == true
    }

    /// Returns the scene for which a storyboard reference stands, directly or through other
    /// references; `key` if it is no reference or leads to no scene.
    func resolved(_ key: SceneKey) -> SceneKey {
        var found = key
        var visited: Set<SceneKey> = []
        while visited.insert(found).inserted, let reference = scenes[found]?.reference {
            guard let target = target(of: reference, in: found) else { return key }
            found = target
        }
        return found
    }

    /// Returns the view controllers that a user sees when a scene is shown:
    /// - for a storyboard reference, those of the scene to which it refers;
    /// - for a split view controller, those of its primary view controller;
    /// - for a navigation controller, this controller and its root. If the root is a tab bar
    ///   controller, only the tab bar controller;
    /// - for any other scene, its view controller.
    ///
    /// A reference or a split view controller that leads to itself or to no scene counts as a
    /// single view controller. A navigation controller without a root is its own root.
    func shown(_ key: SceneKey) -> Shown { shown(key, visited: []) }

    private func shown(_ key: SceneKey, visited: Set<SceneKey>) -> Shown {
        guard let scene = scenes[key], !visited.contains(key) else { return .content(key) }
        let visited = visited.union([key])
        if let reference = scene.reference {
            guard let target = target(of: reference, in: key) else { return .content(key) }
            return shown(target, visited: visited)
        }
        switch scene.kind {
        case "splitViewController":
            guard let primary = primary(of: key) else { return .content(key) }
            return shown(primary, visited: visited)
        case "navigationController":
            guard let root = contained(in: key, "rootViewController").first else {
                return .navigation(key, root: key)
            }
            switch shown(root, visited: visited) {
            case .content(let content): return .navigation(key, root: content)
            case .navigation(_, let content): return .navigation(key, root: content)
            case .tabBar(let tabBar): return .tabBar(tabBar)
            }
        case "tabBarController":
            return contained(in: key, "viewControllers").isEmpty ? .content(key) : .tabBar(key)
        default: return .content(key)
        }
    }

    /// The tab bar controllers that are the root of a navigation controller.
    var wrappedTabBars: Set<SceneKey> {
        Set(
            keys.compactMap { key in
                guard scenes[key]?.kind == "navigationController",
                    case .tabBar(let tabBar) = shown(key)
                else { return nil }
                return tabBar
            })
    }

    /// Returns the child that a split view controller shows in a narrow window; nil if it has no
    /// child.
    func primary(of key: SceneKey) -> SceneKey? {
        ["masterViewController", "supplementaryViewController", "detailViewController"].lazy
            .compactMap { contained(in: key, $0).first }.first
    }

    /// Returns the children of a container, in the order of the file.
    /// - Parameter relationship: the kind of children, such as `rootViewController` or
    ///   `viewControllers`.
    func contained(in key: SceneKey, _ relationship: String) -> [SceneKey] {
        (scenes[key]?.relationships ?? []).filter { $0.relationship == relationship }
            .compactMap { sibling($0.destination, of: key) }
    }

    /// Returns the scenes with content that a scene shows: the roots of all tabs of a tab bar
    /// controller, the root of a navigation controller, or the scene itself.
    func contents(of key: SceneKey) -> [SceneKey] {
        switch shown(key) {
        case .content(let content): return [content]
        case .navigation(_, let root): return [root]
        case .tabBar(let tabBar):
            return contained(in: tabBar, "viewControllers").compactMap { tab in
                switch shown(tab) {
                case .content(let content): content
                case .navigation(_, let root): root
                case .tabBar: nil
                }
            }
        }
    }
}
