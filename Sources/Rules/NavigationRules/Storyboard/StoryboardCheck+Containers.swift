/// The checks of segues and of containers, which are navigation controllers and tab bar
/// controllers.
extension StoryboardCheck {
    /// Checks a scene that is shown as a root or by a segue. If the scene is a container, it must
    /// declare its root or its tabs.
    /// - Parameter keyPath: the place in the storyboard that refers to the scene.
    /// - Returns: the scenes in the container, or the scene itself if it is not a container; empty
    ///   if the check reported a defect.
    mutating func checkContents(of scene: Scene, at keyPath: String) -> [Scene] {
        switch scene.kind {
        case .navigation:
            guard scene.root != nil else {
                report(
                    keyPath,
                    "\(scene.name) is shown, but has no root: name the scene of its root in "
                        + "scenes.\(scene.name).root")
                return []
            }
        case .tabBar:
            guard !scene.tabs.isEmpty else {
                report(
                    keyPath,
                    "\(scene.name) is shown, but has no tabs: list them in "
                        + "scenes.\(scene.name).tabs")
                return []
            }
        case .table, .image, .form, .blank: break
        }
        return contents(of: scene)
    }

    /// Checks the root and the tabs that a scene declares. Only a navigation controller may have a
    /// root, and only a tab bar controller may have tabs. A container is checked even if no scene
    /// shows it.
    mutating func checkContainer(_ scene: Scene, at keyPath: String) {
        if scene.root != nil, scene.kind != .navigation {
            report("\(keyPath).root", "only a navigation controller has a root")
        }
        if !scene.tabs.isEmpty, scene.kind != .tabBar {
            report("\(keyPath).tabs", "only a tab bar controller has tabs")
        }
        if scene.kind.isContainer, !scene.unwindActions.isEmpty {
            report(
                "\(keyPath).unwindActions",
                "a container is on no stack: give the actions to its contents")
        }
        if scene.kind == .navigation, let name = scene.root,
            let root = existing(name, at: "\(keyPath).root"), root.kind.isContainer
        {
            report(
                "\(keyPath).root",
                "expected content: \(name) is a container (\(root.kind.rawValue))")
        }
        if scene.kind == .tabBar {
            // The decoder has reported a tab without a scene.
            for (index, tab) in scene.tabs.enumerated() where !tab.scene.isEmpty {
                checkTab(tab, at: "\(keyPath).tabs[\(index)].scene")
            }
        }
    }

    private mutating func checkTab(_ tab: Scene.Tab, at keyPath: String) {
        guard let scene = existing(tab.scene, at: keyPath) else { return }
        switch scene.kind {
        case .tabBar:
            report(keyPath, "\(scene.name) is a tab bar controller: a tab cannot be one")
        case .navigation where scene.root == nil:
            report(keyPath, "\(scene.name) has no root: name it in scenes.\(scene.name).root")
        default: break
        }
    }

    /// Returns the scenes of the first view controllers in a container, without scenes that do not
    /// exist. For a scene that is not a container, the result has only this scene.
    func contents(of scene: Scene) -> [Scene] { scenes.roots(of: scene).map(\.scene) }

    // MARK: Segues

    mutating func checkSegues(of scene: Scene, at keyPath: String) {
        if scene.kind.isContainer, !scene.segues.isEmpty {
            report(keyPath, "a container has no segues: give them to its contents")
        }
        var conditions: [String: [FlagCondition?]] = [:]
        for (index, segue) in scene.segues.enumerated() {
            let at = "\(keyPath)[\(index)]"
            if segue.identifier.isEmpty { report("\(at).identifier", "expected a name") }
            checkIdentifier(of: segue, after: conditions[segue.identifier] ?? [], at: at)
            conditions[segue.identifier, default: []].append(segue.when)
            checkCondition(segue.when, at: at)
            checkTarget(of: segue, from: scene, at: at)
        }
    }

    private mutating func checkTarget(of segue: Segue, from source: Scene, at keyPath: String) {
        if case .unwind(let action) = segue.action, !unwindActions.contains(action) {
            let near = suggestion(for: action, among: unwindActions.sorted())
            report(
                "\(keyPath).action",
                "no scene has the unwind action \(action)"
                    + (near.isEmpty
                        ? ": add it to the unwindActions of the scene to which the segue returns"
                        : near))
        }
        guard let name = segue.action.scene,
            let target = existing(name, at: "\(keyPath).scene")
        else {
            if !segue.parameters.isEmpty, segue.action.scene == nil {
                report("\(keyPath).parameters", "this kind of segue shows no new view controller")
            }
            return
        }
        switch segue.action {
        case .push where target.kind.isContainer:
            report(
                "\(keyPath).scene",
                "\(name) is a container (\(target.kind.rawValue)): it can be presented, not pushed")
        default: break
        }
        checkWay(from: source, to: target, at: keyPath)
        let contents = checkContents(of: target, at: "\(keyPath).scene")
        let taken = Set(contents.flatMap(\.parameters))
        for (parameter, template) in segue.parameters.sorted(by: { $0.key < $1.key }) {
            let at = "\(keyPath).parameters.\(parameter)"
            if !taken.contains(parameter) { report(at, "\(name) has no parameter \(parameter)") }
            for name in template.parameters where !source.parameters.contains(name) {
                report(at, "{\(name)} is not one of the scene's parameters")
            }
            if template.showsCount { report(at, "{count} has a value in titles and texts only") }
        }
    }
}
