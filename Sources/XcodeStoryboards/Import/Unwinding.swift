/// Finds the scenes at which unwind segues end. An Xcode storyboard has only the name of the action
/// that an unwind segue calls. The app's code decides which class implements this action.
///
/// The import tries these ways in order, until one of them finds a scene:
/// - a class of the project's source code declares the action;
/// - the import options name a class or scene for the action;
/// - the name of the action contains the name of a scene's class;
/// - the scene of the unwind segue can be reached from only one other scene.
struct Unwinding {
    enum Resolution {
        case known
        case guessed(SceneKey)
        case unknown
    }

    private struct Use: Hashable {
        let action: String
        let source: SceneKey
    }

    private var scenes: [SceneKey: [String]] = [:]
    private var resolutions: [Use: Resolution] = [:]

    init(_ graph: SceneGraph, _ options: ImportOptions) {
        let uses = graph.keys.flatMap { key in
            (graph.scene(key)?.segues ?? []).compactMap { segue in
                segue.kind == "unwind"
                    ? segue.unwindAction.map { Use(action: $0, source: key) } : nil
            }
        }
        guard !uses.isEmpty else { return }
        let contents = graph.keys.filter {
            graph.scene($0)?.isContainer == false && graph.scene($0)?.reference == nil
        }
        let predecessors = Self.predecessors(contents, graph)
        // The scenes that declare an action do not depend on the scene of the unwind segue.
        var declaring: [String: [SceneKey]] = [:]
        for use in uses where resolutions[use] == nil {
            let known =
                declaring[use.action]
                ?? Self.declaring(use.action, among: contents, graph, options)
            declaring[use.action] = known
            if !known.isEmpty {
                resolutions[use] = .known
                for key in known { add(use.action, to: key) }
                continue
            }
            let ancestors = Self.ancestors(of: use.source, predecessors)
            if ancestors.count == 1, let ancestor = ancestors.first {
                resolutions[use] = .guessed(ancestor)
                add(use.action, to: ancestor)
            } else {
                resolutions[use] = .unknown
            }
        }
    }

    func actions(of key: SceneKey) -> [String] { scenes[key] ?? [] }

    func resolution(of action: String, from key: SceneKey) -> Resolution {
        resolutions[Use(action: action, source: key)] ?? .unknown
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

    // MARK: Ancestors

    /// Returns a dictionary whose keys are scenes. Each value contains the scenes from which a
    /// segue leads to the scene of the key. Unwind and embed segues do not count.
    private static func predecessors(
        _ keys: [SceneKey], _ graph: SceneGraph
    ) -> [SceneKey: Set<SceneKey>] {
        var predecessors: [SceneKey: Set<SceneKey>] = [:]
        for key in keys {
            for segue in graph.scene(key)?.segues ?? []
            where segue.kind != "unwind" && segue.kind != "embed" {
                guard let destination = graph.sibling(segue.destination, of: key) else { continue }
                for content in graph.contents(of: destination) {
                    predecessors[content, default: []].insert(key)
                }
            }
        }
        return predecessors
    }

    private static func ancestors(
        of key: SceneKey, _ predecessors: [SceneKey: Set<SceneKey>]
    ) -> Set<SceneKey> {
        var found: Set<SceneKey> = []
        var next = [key]
        while let scene = next.popLast() {
            for predecessor in predecessors[scene] ?? []
            where found.insert(predecessor).inserted { next.append(predecessor) }
        }
        return found.subtracting([key])
    }
}
