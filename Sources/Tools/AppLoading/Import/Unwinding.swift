import NavigationRules

/// Finds the scenes at which unwind segues end. An Xcode storyboard has only the name of the action
/// that an unwind segue calls. The app's code decides which class implements this action.
///
/// The import tries these ways in order, until one of them finds a scene:
/// - a class of the project's source code declares the action;
/// - the import options name a class or scene for the action;
/// - the name of the action contains the name of a scene's class;
/// - the scene of the unwind segue can be reached from only one other scene;
/// - no scene leads to the scene of the unwind segue, and its tab bar controller has only one other
///   tab.
struct Unwinding {
    enum Resolution {
        case known
        /// A scene, with the reason why it is chosen.
        case probable(SceneKey, String)
        /// The import options say that no scene has the action.
        case none
        /// The scenes that lead directly to the scene of the unwind segue.
        case unknown([SceneKey])
    }

    private struct Use: Hashable {
        let action: String
        let scene: SceneKey
    }

    private var scenes: [SceneKey: [String]] = [:]
    private var resolutions: [Use: Resolution] = [:]

    init(_ graph: SceneGraph, _ options: ImportOptions, _ presentations: Presentations) {
        let contents = graph.keys.filter(graph.hasContent)
        let uses = contents.filter(graph.isImported).flatMap { key in
            let sources = graph.embedding(key).compactMap(graph.scene)
            let segues = sources.flatMap(\.segues).filter { $0.kind == "unwind" }
            let controls = presentations.presenters[key] == nil ? [] : sources.flatMap(\.controls)
            let selectors = controls.compactMap(\.selector)
                .filter { options.unwindActions[$0]?.isEmpty == false }
            return (segues.compactMap(\.unwindAction) + selectors)
                .map { Use(action: $0, scene: key) }
        }
        guard !uses.isEmpty else { return }
        let predecessors = Self.predecessors(contents, graph)
        // The scenes that declare an action do not depend on the scene of the unwind segue.
        var declaring: [String: [SceneKey]] = [:]
        for use in uses where resolutions[use] == nil {
            guard options.unwindActions[use.action]?.isEmpty != true else {
                resolutions[use] = Resolution.none
                continue
            }
            let known =
                declaring[use.action]
                ?? Self.declaring(use.action, among: contents, graph, options)
            declaring[use.action] = known
            if !known.isEmpty {
                resolutions[use] = .known
                for key in known { add(use.action, to: key) }
                continue
            }
            let resolution = Self.probableScene(from: use.scene, predecessors, graph)
            resolutions[use] = resolution
            if case .probable(let scene, _) = resolution { add(use.action, to: scene) }
        }
    }

    func actions(of key: SceneKey) -> [String] { scenes[key] ?? [] }

    /// Returns where an unwind segue with this action, in an imported scene, ends.
    func resolution(of action: String, in key: SceneKey) -> Resolution {
        resolutions[Use(action: action, scene: key)] ?? .unknown([])
    }

    private mutating func add(_ action: String, to key: SceneKey) {
        guard scenes[key]?.contains(action) != true else { return }
        scenes[key, default: []].append(action)
    }

    private static func declaring(
        _ action: String, among keys: [SceneKey], _ graph: SceneGraph, _ options: ImportOptions
    ) -> [SceneKey] {
        func named(_ names: [String]) -> [SceneKey] {
            keys.filter { key in
                graph.names[key].map(names.contains) == true
                    || graph.scene(key)?.customClass.map(names.contains) == true
            }
        }
        for names in [graph.project.unwindActions[action], options.unwindActions[action]] {
            let found = named(names ?? [])
            if !found.isEmpty { return found }
        }
        let classes = keys.compactMap { graph.scene($0)?.customClass }
            .filter { action.contains($0) }
        let longest = classes.map(\.count).max()
        return named(classes.filter { $0.count == longest })
    }

    // MARK: Probable scenes

    private static func probableScene(
        from key: SceneKey, _ predecessors: [SceneKey: [SceneKey]], _ graph: SceneGraph
    ) -> Resolution {
        let ancestors = closure(of: [key]) { predecessors[$0] ?? [] }.subtracting([key])
        if ancestors.count == 1, let ancestor = ancestors.first {
            return .probable(ancestor, "the only scene that leads here")
        }
        if ancestors.isEmpty {
            let others = rootsOfOtherTabs(key, graph)
            if others.count == 1, let other = others.first {
                return .probable(other, "the only other tab")
            }
        }
        return .unknown(predecessors[key] ?? [])
    }

    /// Returns a dictionary whose keys are scenes. Each value contains the imported scenes from
    /// which a segue leads to the scene of the key. Unwind and embed segues do not count.
    private static func predecessors(
        _ keys: [SceneKey], _ graph: SceneGraph
    ) -> [SceneKey: [SceneKey]] {
        var predecessors: [SceneKey: [SceneKey]] = [:]
        for key in keys where graph.isImported(key) {
            for (segue, destination) in graph.segues(of: key)
            where segue.kind != "unwind" && segue.kind != "embed" {
                for content in graph.contents(of: destination)
                where predecessors[content]?.contains(key) != true {
                    predecessors[content, default: []].append(key)
                }
            }
        }
        return predecessors
    }

    /// Returns what the other tabs of the tab bar controllers show that show a scene in a tab.
    private static func rootsOfOtherTabs(_ key: SceneKey, _ graph: SceneGraph) -> Set<SceneKey> {
        let tabBars = graph.keys.filter { graph.scene($0)?.kind == "tabBarController" }
            .map(graph.contents).filter { $0.contains(key) }
        return Set(tabBars.joined()).subtracting([key])
    }
}
