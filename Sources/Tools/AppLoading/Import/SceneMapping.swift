/// Converts the scenes of Xcode storyboards to the scenes of a Waypost storyboard.
struct SceneMapping {
    let graph: SceneGraph
    let options: ImportOptions
    var findings: [ImportFinding] = []
    /// The names in `options` that nothing in the project has; empty before `map()`.
    private(set) var unknownNames: [UnknownName] = []
    private var scenes: [ImportedScene] = []
    private var taken: Set<String>
    /// The names of the blank scenes that `contentName(_:)` creates, by the container or the
    /// unresolved reference that each of them replaces.
    private var placeholders: [SceneKey: String] = [:]
    /// The names of the navigation controllers that the import adds around tabs of the tab bar
    /// controllers in `wrappedTabBars`. The key is the scene that the navigation controller
    /// contains.
    private var wrappers: [SceneKey: String] = [:]
    /// The tab bar controllers that are the root of a navigation controller. The import leaves the
    /// navigation controller out, and shows the tab bar controller in its place.
    private let wrappedTabBars: Set<SceneKey>
    /// The scenes that have `isModalInPresentation`, or take the place of a container that has it.
    private let modalScenes: Set<SceneKey>
    /// The scenes in split view controllers.
    let splitScenes: Set<SceneKey>
    /// The scenes in navigation controllers that show their toolbar.
    let toolbarScenes: Set<SceneKey>
    let presentations: Presentations
    /// The selectors of the controls without a segue in presented scenes, sorted.
    let selectorsInLayers: [String]

    init(_ graph: SceneGraph, _ options: ImportOptions) {
        self.graph = graph
        self.options = options
        taken = Set(graph.names.values)
        wrappedTabBars = graph.wrappedTabBars
        modalScenes = Set(
            graph.keys.filter { graph.scene($0)?.isModalInPresentation == true }
                .map { graph.shown($0).key })
        splitScenes = graph.scenes { $0.kind == "splitViewController" }
        toolbarScenes = graph.scenes(inside: \.showsToolbar)
        let presentations = Presentations(graph, options)
        self.presentations = presentations
        selectorsInLayers = Set(
            graph.keys.filter { presentations.presenters[$0] != nil }.flatMap(graph.embedding)
                .flatMap { graph.scene($0)?.controls ?? [] }.compactMap(\.selector)
        ).sorted()
    }

    mutating func report(
        _ severity: ImportFinding.Severity, _ key: SceneKey, _ object: String? = nil,
        _ reason: String
    ) {
        findings.append(
            ImportFinding(
                severity: severity, file: graph.project.storyboards[key.storyboard].file,
                object: object ?? key.id, reason: reason))
    }

    /// Converts all scenes. Adds a finding to `findings` for each part that cannot be converted
    /// exactly.
    /// - Returns: the imported scenes, in the order of `graph.keys`. Scenes that the import adds
    ///   are among them.
    mutating func map() -> [ImportedScene] {
        let unwinding = Unwinding(graph, options, presentations)
        for key in graph.keys {
            guard let scene = graph.scene(key) else { continue }
            if !graph.embedded.contains(key) { map(scene, key, unwinding) }
            if scene.isContainer { reportSegues(of: scene, key) }
        }
        // The blank scene that replaces an initial view controller without content.
        if options.members["initialScene"] == nil { _ = sceneName(shownBy: graph.initial) }
        unknownNames = UnknownName.all(
            in: options, graph, scenes: scenes, selectors: selectorsInLayers)
        return scenes
    }

    // MARK: Names

    /// Returns the name of the imported scene that appears when an Xcode scene is shown. For
    /// example, a storyboard reference shows the scene to which it refers.
    mutating func sceneName(shownBy key: SceneKey) -> String {
        switch graph.shown(key) {
        case .content(let content): contentName(content)
        case .navigation(let navigation, _): name(navigation)
        case .tabBar(let tabBar): name(tabBar)
        }
    }

    func name(_ key: SceneKey) -> String { graph.names[key] ?? key.id }

    /// Returns the name of the imported scene that stands for an Xcode scene at a place that needs
    /// content, such as the root of a navigation controller. A blank scene replaces a container or
    /// an unresolved reference there. The blank scene is created when it is first needed.
    mutating func contentName(_ key: SceneKey) -> String {
        guard let scene = graph.scene(key), scene.isContainer || scene.reference != nil else {
            return name(key)
        }
        if let name = placeholders[key] { return name }
        let name = newName("\(name(key)).content")
        placeholders[key] = name
        var blank = ImportedScene(name: name, kind: "blank")
        blank.isModalInPresentation = scene.isModalInPresentation
        blank.rows = options.rows(for: blank)
        setTitles(of: scene, on: &blank)
        scenes.append(blank)
        return name
    }

    private mutating func newName(_ wanted: String) -> String {
        var name = wanted
        while !taken.insert(name).inserted { name += "-2" }
        return name
    }

    // MARK: Scenes

    private mutating func map(_ scene: XcodeScene, _ key: SceneKey, _ unwinding: Unwinding) {
        if let reference = scene.reference {
            if graph.target(of: reference, in: key) == nil { reportUnresolved(reference, key) }
            return
        }
        switch scene.kind {
        case "splitViewController":
            report(
                .warning, key, nil,
                "a split view controller: its primary view controller takes its place, as in a "
                    + "narrow window")
        case "navigationController": mapNavigation(scene, key)
        case "tabBarController": mapTabBar(scene, key)
        default:
            if scene.kind == "pageViewController" {
                report(.warning, key, nil, "a page view controller: its pages come from code")
            }
            var imported = newScene(key, "blank")
            setTitles(of: scene, on: &imported)
            var segues = SegueMapping(key, imported, unwinding)
            segues.map(&self)
            scenes.append(segues.scene)
        }
    }

    /// Returns the imported scene for a scene of the storyboards, still without its contents. A
    /// scene that nothing presents gets no presentation style, because a link to the scene would
    /// present it.
    private mutating func newScene(_ key: SceneKey, _ kind: String) -> ImportedScene {
        var imported = ImportedScene(name: name(key), kind: kind)
        imported.isModalInPresentation = modalScenes.contains(key)
        if graph.isInstantiated(key), !graph.reachable.contains(key) {
            imported.isShownByCode = true
            report(
                .note, key, nil,
                "only code shows \(imported.name), by its storyboard identifier: no user of the "
                    + "service can reach it until a segue in the import options leads here")
        }
        if imported.isShownByCode || presentations.presented.contains(key) {
            imported.presentation = presentationStyle(of: key)
        }
        return imported
    }

    private mutating func reportUnresolved(_ reference: XcodeReference, _ key: SceneKey) {
        let storyboard = reference.storyboardName ?? "this storyboard"
        let scene =
            reference.referencedIdentifier.map { "the scene \($0)" }
            ?? "an initial view controller"
        let bundle = reference.bundleIdentifier.map { " of the bundle \($0)" } ?? ""
        report(
            .warning, key, nil,
            "\(scene) of \(storyboard)\(bundle) is missing, and a blank scene replaces the "
                + "reference; import the folder of the whole project")
    }

    /// Reports the segues of a container, which has no segues in a Waypost storyboard.
    private mutating func reportSegues(of scene: XcodeScene, _ key: SceneKey) {
        let kind = scene.kind.replacing(/[A-Z]/) { " \($0.output.lowercased())" }
        for segue in scene.segues {
            let destination = graph.sibling(segue.destination, of: key).map { " to \(name($0))" }
            report(
                .warning, key, segue.id,
                "a segue\(destination ?? "") that starts at a \(kind): it is left out; a scene in "
                    + "the container can have it, in the import options, scenes.NAME.segues")
        }
    }

    private mutating func mapNavigation(_ scene: XcodeScene, _ key: SceneKey) {
        guard case .navigation(_, let root) = graph.shown(key) else {
            return report(
                .warning, key, nil,
                "a tab bar controller is the root of this navigation controller: the tab bar "
                    + "takes its place")
        }
        if scene.hidesNavigationBar {
            report(
                .warning, key, nil,
                "the navigation bar is hidden: users of the service can tap its items and its back "
                    + "button; remove them in the import options, scenes.NAME.navigationItem")
        }
        if root == key {
            report(
                .warning, key, nil,
                "the navigation controller has no root in the storyboard: a blank scene is its "
                    + "root; name one in the options, scenes.\(name(key)).root")
        }
        var imported = newScene(key, "navigation")
        imported.root = contentName(root)
        scenes.append(imported)
    }

    private mutating func mapTabBar(_ scene: XcodeScene, _ key: SceneKey) {
        let tabs = graph.contained(in: key, "viewControllers")
        guard !tabs.isEmpty else {
            return report(
                .warning, key, nil,
                "the tab bar controller has no tabs in the storyboard: a blank scene takes its "
                    + "place")
        }
        var imported = newScene(key, "tabBar")
        imported.tabs = tabs.map { (tabTitle(of: $0), tabScene($0, in: key)) }
        scenes.append(imported)
    }

    private mutating func tabScene(_ tab: SceneKey, in tabBar: SceneKey) -> String {
        switch graph.shown(tab) {
        case .navigation(let navigation, _): return name(navigation)
        case .tabBar:
            report(
                .warning, tab, nil,
                "a tab bar controller in a tab: a blank scene takes its place")
            return contentName(tab)
        case .content(let content):
            let root = contentName(content)
            guard wrappedTabBars.contains(tabBar) else { return root }
            if let wrapper = wrappers[content] { return wrapper }
            var wrapper = ImportedScene(name: newName("\(root).navigation"), kind: "navigation")
            wrapper.root = root
            scenes.append(wrapper)
            wrappers[content] = wrapper.name
            return wrapper.name
        }
    }

    /// Returns the title of a tab: the title of its tab bar item, else the name of the system item,
    /// else the title of the container in the tab. Returns nil if all are missing.
    private func tabTitle(of tab: SceneKey) -> String? {
        var key = tab
        for _ in 0..<8 {
            guard let scene = graph.scene(key) else { return nil }
            if let item = scene.tabBarItem, item.title ?? item.systemItem != nil {
                return item.title ?? item.systemItem.map(XcodeBarItem.systemTitle)
            }
            guard let reference = scene.reference,
                let target = graph.target(of: reference, in: key)
            else { return scene.isContainer ? scene.title : nil }
            key = target
        }
        return nil
    }

    private func setTitles(of scene: XcodeScene, on imported: inout ImportedScene) {
        let item = scene.navigationItem
        // In Waypost, a scene's title is a template, in which braces mark placeholders. A title
        // with braces can therefore become only the navigation item's title, which is plain text.
        let title = scene.title.flatMap { $0.contains { "{}".contains($0) } ? nil : $0 }
        imported.title = title ?? (item.title == nil ? scene.tabBarItem?.plainTitle : nil)
        imported.itemTitle = item.title == title ? nil : item.title
        if title == nil, item.title == nil { imported.itemTitle = scene.title }
        imported.backButtonTitle = item.backButtonTitle
        imported.hidesBackButton = item.hidesBackButton
        imported.leftItemsSupplementBackButton = item.leftItemsSupplementBackButton
        imported.hidesBottomBarWhenPushed = scene.hidesBottomBarWhenPushed
    }
}

extension XcodeTabBarItem {
    /// The title; nil if the title is missing or contains a brace. Waypost reads braces in a
    /// scene's title as placeholders.
    fileprivate var plainTitle: String? {
        title.flatMap { $0.contains { "{}".contains($0) } ? nil : $0 }
    }
}

extension XcodeScene {
    /// Whether the scene is a container, which only shows other scenes.
    var isContainer: Bool {
        ["navigationController", "tabBarController", "splitViewController"].contains(kind)
    }
}
