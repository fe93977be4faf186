/// The warnings about a valid storyboard: settings without effect, and scenes that no user can
/// reach.
extension Storyboard {
    /// All warnings about the storyboard. If there is a warning about `initialScene`, it comes
    /// first. The warnings about scenes follow in the order of the scene names.
    public var warnings: [StoryboardDefect] {
        let chains = LinkChains(to: linked, in: scenes)
        let reachable = reachableScenes
        let shownByCode = scenesShownByCode
        var warnings: [StoryboardDefect] = []
        func warn(_ keyPath: String, _ reason: String) {
            warnings.append(StoryboardDefect(keyPath: keyPath, reason: reason))
        }
        if !segments.isEmpty, !segments.contains(where: { $0.scene === initialScene }) {
            warn(
                "initialScene",
                "is not one of the segments: the first segment is shown instead")
        }
        for scene in scenes.values.sorted(by: { $0.name < $1.name }) {
            let at = "scenes.\(scene.name)"
            if scene.access == .login, loginScene == nil, !scene.kind.isContainer {
                warn("\(at).access", "belongs to the login root, and the app has no loginScene")
            } else if scene.isShownByCode, !reachable.contains(scene.name) {
                warn(
                    at,
                    "only code shows this scene (shownByCode): no segue, row, tab or link leads here"
                )
            } else if !reachable.contains(scene.name), !shownByCode.contains(scene.name) {
                warn(
                    at,
                    "no user can reach this scene: no segue, row, tab or link leads "
                        + "here")
            }
            if scene.parent != nil, chains[scene] == nil {
                warn("\(at).parent", "has no effect: no link leads here")
            }
            if scene.tabs.count > TabBar.maximumItems {
                warn(
                    "\(at).tabs[\(TabBar.maximumItems)]",
                    "is in UIKit's More list, because a phone shows \(TabBar.maximumItems) items at "
                        + "most: no tap on the tab bar reaches it in a strict session")
            }
            if scene.kind == .image, scene.image == nil {
                warn(at, "shows no image: name one in `image`")
            }
            if let chain = chains[scene], let tab = bareTab(of: chain, to: scene) {
                warn(
                    "\(at).path",
                    "cannot be opened: its tab \(tab.name) has no navigation controller, and thus "
                        + "no stack; put the tab's scene into a navigation controller")
            }
        }
        return warnings
    }

    /// The names of the scenes to which segues, rows, tabs and links lead from the start, including
    /// navigation controllers and tab bar controllers. A user can reach no other scene.
    public var reachableScenes: Set<Scene.Name> {
        scenes(
            from: [segments.isEmpty ? initialScene : nil, loginScene].compactMap(\.self)
                + segments.map(\.scene) + LinkChains(to: linked, in: scenes).members)
    }

    /// The names of the scenes that code shows, and of those to which segues, rows and tabs lead
    /// from there.
    public var scenesShownByCode: Set<Scene.Name> {
        scenes(from: scenes.values.filter(\.isShownByCode))
    }

    private func scenes(from start: [Scene]) -> Set<Scene.Name> {
        var found: Set<Scene.Name> = []
        var waiting = start
        while let scene = waiting.popLast() {
            guard found.insert(scene.name).inserted else { continue }
            let names =
                [scene.root, scene.select].compactMap(\.self) + scene.tabs.map(\.scene)
                + scene.segues.compactMap(\.action.scene)
            waiting += names.compactMap { scenes[$0] }
        }
        return found
    }

    /// Returns the most distant parent of `scene` if it prevents deep links from opening `scene`;
    /// nil otherwise. The parent prevents this if tabs of the initial scene show it, and none of
    /// these tabs has a navigation controller. The link then has no stack on which it could put a
    /// view controller above the parent.
    private func bareTab(of chain: LinkChains.Chain, to scene: Scene) -> Scene? {
        guard scene.path != nil, initialScene.kind == .tabBar, scene.access == .members else {
            return nil
        }
        let first = chain.outermost
        guard let second = chain.second, first.presentation == nil, second.presentation == nil
        else { return nil }
        let tabs = roots(of: initialScene).filter { $0.scene === first }
        return !tabs.isEmpty && tabs.allSatisfy(\.isBare) ? first : nil
    }
}
