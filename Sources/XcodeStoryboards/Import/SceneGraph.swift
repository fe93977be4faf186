/// The key of a view controller of the app. It names the storyboard, because object ids are unique
/// in one file only.
struct SceneKey: Hashable {
    let storyboard: Int
    let id: String
}

/// The view controllers of all storyboards, and what each of them shows.
struct SceneGraph {
    /// The view controllers that a scene stands for when it is shown.
    indirect enum Shown {
        case content(SceneKey)
        case navigation(SceneKey, root: SceneKey)
        case tabBar(SceneKey)
    }

    let project: XcodeProject
    /// All scenes, those of the entry storyboard first.
    let keys: [SceneKey]
    let names: [SceneKey: String]
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
        names = SceneNames.names(of: keys, in: project) { scenes[$0] }
    }

    func scene(_ key: SceneKey) -> XcodeScene? { scenes[key] }

    /// Returns the scene with an object id in the same file as `key`; nil if the file has no such
    /// scene.
    func sibling(_ id: String, of key: SceneKey) -> SceneKey? {
        let sibling = SceneKey(storyboard: key.storyboard, id: id)
        return scenes[sibling] == nil ? nil : sibling
    }

    /// Returns the scene to which a reference refers; nil if the project does not have it.
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

    /// Returns what a scene shows. A reference shows its target; a split view controller shows its
    /// primary view controller; a navigation controller whose root is a tab bar controller shows
    /// this tab bar controller. A scene that leads to itself, or nowhere, is content.
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

    /// Returns the child view controller that a split view controller shows in a narrow window.
    func primary(of key: SceneKey) -> SceneKey? {
        ["masterViewController", "supplementaryViewController", "detailViewController"].lazy
            .compactMap { contained(in: key, $0).first }.first
    }

    /// Returns the scenes to which a container has a relationship, in the order of the file.
    func contained(in key: SceneKey, _ relationship: String) -> [SceneKey] {
        (scenes[key]?.relationships ?? []).filter { $0.relationship == relationship }
            .compactMap { sibling($0.destination, of: key) }
    }

    /// Returns the content scenes that a scene shows: the roots of all tabs, the root of a stack,
    /// or one scene.
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

/// The names of imported scenes: the storyboard identifier or the class if only one scene has it,
/// else the object id; if several files have that id, the file's name and number and the id.
enum SceneNames {
    static func names(
        of keys: [SceneKey], in project: XcodeProject, _ scene: (SceneKey) -> XcodeScene?
    ) -> [SceneKey: String] {
        let candidates = keys.map { key in
            [scene(key)?.storyboardIdentifier, scene(key)?.customClass, key.id].compactMap { $0 }
        }
        var uses: [String: Int] = [:]
        for names in candidates { for name in Set(names) { uses[name, default: 0] += 1 } }
        var named: [SceneKey: String] = [:]
        var taken: Set<String> = []
        for (key, candidates) in zip(keys, candidates) {
            let file = project.storyboards[key.storyboard].name
            var name =
                candidates.first { uses[$0] == 1 } ?? "\(file)/\(key.storyboard + 1)/\(key.id)"
            while !taken.insert(name).inserted { name += "-2" }
            named[key] = name
        }
        return named
    }
}
