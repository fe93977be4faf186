import JSON
import Navigation

/// Searches the shortest way of a user to a scene.
///
/// The search walks breadth-first through windows, with the rules of the module `Navigation`. Of
/// windows with the same head it walks on from one only, unless they differ in what a pop can show:
/// how much of the first window is left, which unwind actions are taken above that, and which view
/// controllers a link has put below others. So it ends for each app.
public struct PathSearch {
    /// Where a search begins.
    public enum Start: Sendable, Equatable {
        case launch
        /// The window in which the scene can be seen first.
        case scene(Scene.Name)
        /// The window after a link, opened at the launch or, if it needs a log-in, after the log-in.
        case link(Link)
    }

    public enum Answer: Sendable, Equatable {
        /// The steps of a flow that lead from the launch to the start, those that lead on to the
        /// scene, and the step that checks the last window.
        case path(before: [String], steps: [String], check: String)
        /// No user action leads to the scene.
        case none
        /// The search found no way, but left out rows, or stacks of tabs to which an unwinding may
        /// lead.
        case unknown
    }

    private struct Key: Hashable {
        let head: Int32
        let left: [Int]
        let taken: Set<String>
        let hidden: [Int32]
    }

    private let app: App
    private let limits: Exploration.Limits
    /// Whether only taps and swipes count: no log-in, log-out and links.
    private let onlyGestures: Bool

    public init(_ app: App, _ limits: Exploration.Limits, onlyGestures: Bool) {
        self.app = app
        self.limits = limits
        self.onlyGestures = onlyGestures
    }

    /// Searches the shortest way from a start to a scene.
    public func answer(from start: Start, to scene: Scene.Name) -> Answer {
        if start == .launch {
            return LaunchSearch(app, limits, actions: onlyGestures ? .gestures : .ofUser)
                .answer(to: scene)
        }
        let exploration = Exploration(app, limits)
        let before: [Exploration.Action]
        switch start {
        case .launch: before = []
        case .scene(let name):
            switch search(exploration, [], to: name, isForCode: true) {
            case .path(let path): before = path
            case .none(let isCertain): return isCertain ? .none : .unknown
            }
        case .link(let link):
            let hasLogin = app.storyboard.loginScene != nil
            let action = Exploration.Action.open(link)
            before =
                hasLogin && exploration.window(after: [action])?.pendingLink != nil
                ? [.logIn, action] : [action]
        }
        switch search(exploration, before, to: scene, isForCode: false) {
        case .path(let path):
            guard let end = exploration.window(after: before + path) else { return .unknown }
            return .path(
                before: before.map(exploration.step), steps: path.map(exploration.step),
                check: exploration.expectation(of: end))
        case .none(let isCertain):
            if isCertain { return .none }
            var whole = exploration
            _ = whole.run()
            let isReached = whole.firstOfScene[scene] != nil || !whole.hasLeftOutRows.isEmpty
            return isReached ? .unknown : .none
        }
    }

    private enum Result {
        case path([Exploration.Action])
        case none(isCertain: Bool)
    }

    /// - Parameter isForCode: whether all actions count, including the segues that the app's code
    ///   performs.
    private func search(
        _ exploration: Exploration, _ before: [Exploration.Action], to scene: Scene.Name,
        isForCode: Bool
    ) -> Result {
        guard let start = exploration.window(after: before) else { return .none(isCertain: true) }
        var heads = exploration.heads
        var steps: [(window: Window?, parent: Int, action: Exploration.Action?)] = [
            (start, -1, nil)
        ]
        var known: Set<Key> = []
        var shown: Set<Int32> = []
        var isCertain = !hasUncertainTabs
        var next = 0
        _ = key(of: start, start, &heads, &shown)
        while next < steps.count {
            guard let window = steps[next].window else { break }
            if window.topViewController.scene.name == scene {
                return .path(path(to: next, steps))
            }
            steps[next].window = nil
            var (actions, leavesOutRows) = exploration.actions(in: window)
            if leavesOutRows { isCertain = false }
            if isForCode || !onlyGestures {
                if app.storyboard.loginScene != nil {
                    actions.append(window.root == .login ? .logIn : .logOut)
                }
                actions += heads.links.map { .open($0.link) }
            }
            for action in actions {
                if case .segue = action, !isForCode { continue }
                guard let after = try? exploration.perform(action, on: window),
                    after.revision != window.revision,
                    known.insert(key(of: after, start, &heads, &shown)).inserted
                else { continue }
                steps.append((after, next, action))
            }
            next += 1
        }
        return .none(isCertain: isCertain)
    }

    private func path(
        to index: Int, _ steps: [(window: Window?, parent: Int, action: Exploration.Action?)]
    ) -> [Exploration.Action] {
        var path: [Exploration.Action] = []
        var index = index
        while let action = steps[index].action {
            path.append(action)
            index = steps[index].parent
        }
        return path.reversed()
    }

    /// Whether an unwinding may lead to another tab, whose stack is not part of the key.
    private var hasUncertainTabs: Bool {
        let scenes = app.storyboard.scenes.values
        return scenes.contains { $0.kind == .tabBar }
            && scenes.contains { scene in
                scene.segues.contains { if case .unwind = $0.action { true } else { false } }
            }
    }

    private func key(
        of window: Window, _ start: Window, _ heads: inout Heads, _ shown: inout Set<Int32>
    ) -> Key {
        let layers = window.layers
        var left: [Int] = []
        var taken: Set<String> = []
        var isSame = true
        for (index, layer) in layers.enumerated() {
            let old = index < start.layers.count ? start.layers[index] : nil
            isSame = isSame && old?.id == layer.id
            for (tab, holder) in layer.navigationControllers.enumerated() {
                let stack = holder.stack.viewControllers
                let oldStack = isSame ? old?.navigationControllers[tab].stack.viewControllers : nil
                let count = zip(stack, oldStack ?? []).prefix { $0.id == $1.id }.count
                if oldStack != nil { left.append(count) }
                guard tab == layer.selectedIndex else { continue }
                let isTop = index == layers.count - 1
                for entry in stack[count...].dropLast(isTop ? 1 : 0) {
                    taken.formUnion(entry.scene.unwindActions)
                }
            }
        }
        let letters = heads.letters(of: window)
        let head = letters[letters.count - 1]
        shown.insert(head)
        return Key(
            head: head, left: left, taken: taken, hidden: letters.filter { !shown.contains($0) })
    }
}

extension PathSearch.Answer {
    /// Returns the answer as a flow, which is a scripted test of the app in YAML; nil if there is no
    /// path.
    /// - Parameter storyboard: the path that the flow names as its `app`; nil to leave it out.
    public func flow(from start: String, to scene: Scene.Name, storyboard: String?) -> String? {
        guard case .path(let before, let steps, let check) = self else { return nil }
        var lines = ["name: \("\(start) to \(scene)".asPlainScalar)"]
        if let storyboard { lines.append("app: \(storyboard.asPlainScalar)") }
        lines.append("steps:")
        lines += before.map { "  - \($0)" }
        if !before.isEmpty { lines.append("  # from here: \(start.replacing("\n", with: " "))") }
        lines += (steps + [check]).map { "  - \($0)" }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Returns the answer as text for people: the flow, or the sentence that there is none.
    package func text(from start: String, to scene: Scene.Name, storyboard: String?) -> String {
        switch self {
        case .path: flow(from: start, to: scene, storyboard: storyboard) ?? ""
        case .none: "no user action leads from \(start) to \(scene)"
        case .unknown: "unknown: no way from \(start) to \(scene) was found"
        }
    }

    /// Returns the answer as JSON.
    public func json(from start: String, to scene: Scene.Name) -> String {
        var json = JSONWriter()
        json.object { json in
            json.member("from", start)
            json.member("to", scene)
            json.member("certainty", self == .unknown ? "unknown" : "proved")
            json.name("flow")
            if case .path(let before, let steps, _) = self {
                json.array(before + steps) { json, step in json.string(step) }
                json.member("actions", steps.count)
            } else {
                json.null()
            }
            json.member("text", text(from: start, to: scene, storyboard: nil))
        }
        return String(decoding: json.bytes, as: UTF8.self)
    }
}
