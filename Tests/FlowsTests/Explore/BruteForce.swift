import NavigationRules

@testable import Exploration

/// Walks through all windows of an app whose stacks have few view controllers and layers, with the
/// rules of the module `NavigationRules` and nothing else.
struct BruteForce {
    struct Bounds {
        var height = 4
        var layers = 4
        var windows = 1500
    }

    let exploration: Exploration
    let bounds: Bounds
    private(set) var windows: [Window] = []
    private(set) var distances: [Int] = []
    private var numbers: [Int: Int] = [:]
    /// The windows from which gestures lead to a window.
    private var sources: [[Int]] = []
    private(set) var firstOfScene: [String: Int] = [:]
    private(set) var usedSegues: Set<String> = []
    private(set) var refused: Set<String> = []
    private(set) var refusedLinks: Set<String> = []
    private(set) var tabs: Set<String> = []

    init(_ exploration: Exploration, _ bounds: Bounds) {
        self.exploration = exploration
        self.bounds = bounds
    }

    static func isRoot(_ window: Window) -> Bool {
        window.layers.count == 1 && window.viewControllers.count == 1
    }

    private static func isWithin(_ window: Window, _ height: Int, _ layers: Int) -> Bool {
        window.layers.count <= layers
            && window.layers.allSatisfy { layer in
                layer.navigationControllers.allSatisfy {
                    $0.stack.viewControllers.count <= height
                }
            }
    }

    /// Walks from the launch. Returns false if there are too many windows.
    mutating func walk() -> Bool {
        for flags in exploration.starts {
            guard let window = exploration.launch(flags) else { return false }
            add(window, 0)
        }
        var next = 0
        while next < windows.count {
            for action in actions(in: windows[next]) { take(action, next) }
            guard windows.count <= bounds.windows else { return false }
            next += 1
        }
        return true
    }

    /// Walks with gestures from a window. Returns whether a root is reached; nil if there are too
    /// many windows.
    mutating func leadsToRoot(from window: Window) -> Bool? {
        add(window, 0)
        var next = 0
        while next < windows.count {
            if Self.isRoot(windows[next]) { return true }
            for action in actions(in: windows[next]) where action.isGesture { take(action, next) }
            guard windows.count <= bounds.windows else { return nil }
            next += 1
        }
        return false
    }

    /// Walks from a window with what a user can do, as far as the bounds allow.
    mutating func walkAsUser(from window: Window) {
        add(window, 0)
        var next = 0
        while next < windows.count, windows.count <= bounds.windows {
            for action in actions(in: windows[next]) {
                if case .segue = action { continue }
                take(action, next)
            }
            next += 1
        }
    }

    private func actions(in window: Window) -> [Exploration.Action] {
        let links =
            exploration.listsWindows ? exploration.links(in: window) : exploration.heads.links
        return exploration.actions(in: window).actions + logInsAndLogOut(in: window)
            + links.map { .open($0.link) }
    }

    /// Returns the log-in, the sign-up or the log-out that a user can do. Users log in at a form or,
    /// in an app without forms, at a log-in scene.
    private func logInsAndLogOut(in window: Window) -> [Exploration.Action] {
        let storyboard = exploration.app.storyboard
        if storyboard.loginScene == nil { return [] }
        if case .loggedIn = window.auth { return [.logOut] }
        let top = window.topViewController.scene
        if top.submit == .signUp { return [.signUp] }
        let hasForms = storyboard.scenes.values.contains { $0.submit != nil }
        let isAtLogIn = window.root == .login || top.access == .login
        return top.submit == .logIn || !hasForms && isAtLogIn ? [.logIn] : []
    }

    @discardableResult
    private mutating func add(_ window: Window, _ distance: Int) -> Int {
        let key = window.explorationKey
        if let number = numbers[key] { return number }
        let number = windows.count
        numbers[key] = number
        windows.append(window)
        distances.append(distance)
        sources.append([])
        let scene = window.topViewController.scene.name
        if firstOfScene[scene] == nil { firstOfScene[scene] = distance }
        let layer = window.activeLayer
        if let tabBar = layer.tabBarScene { tabs.insert("\(tabBar.name).\(layer.selectedIndex)") }
        return number
    }

    private mutating func take(_ action: Exploration.Action, _ index: Int) {
        let window = windows[index]
        let scene = window.topViewController.scene
        func segue(in window: Window) -> Segue? {
            action.segue.flatMap { try? window.segue($0, of: scene) }
        }
        do throws(NavigationError) {
            let after = try exploration.perform(action, on: window)
            guard after.revision != window.revision else { return }
            // An action that waits for the log-in has not been performed yet.
            let isAsked = after.pending != nil && after.pending != window.pending
            if let segue = segue(in: after), !isAsked { usedSegues.insert(scene.key(of: segue)) }
            guard Self.isWithin(after, bounds.height, bounds.layers) else { return }
            let target = add(after, distances[index] + 1)
            if action.isGesture { sources[target].append(index) }
        } catch {
            let segue = segue(in: window)
            let key = segue.map { scene.key(of: $0) } ?? "\(scene.name).select"
            switch action {
            case .tap, .segue: refused.insert(key)
            case .open(let link):
                // The login root keeps no unknown link.
                if window.root == .login, error.code == .linkNotFound { break }
                refusedLinks.insert(link.text)
            case .refused: if segue != nil || action.showsWithoutSegue { refused.insert(key) }
            case .swipeDown, .logIn, .signUp, .logOut, .launch: break
            }
        }
    }

    /// Returns the distance of the first window of each scene from which gestures lead to no root.
    /// Windows near the bounds are left out, because a way out may lead beyond them.
    func deadEnds() -> [String: Int] {
        var isSafe = windows.map(Self.isRoot)
        var waiting = isSafe.indices.filter { isSafe[$0] }
        while let index = waiting.popLast() {
            for source in sources[index] where !isSafe[source] {
                isSafe[source] = true
                waiting.append(source)
            }
        }
        var found: [String: Int] = [:]
        for index in windows.indices where !isSafe[index] {
            let window = windows[index]
            guard Self.isWithin(window, bounds.height - 2, bounds.layers - 2) else { continue }
            let scene = window.topViewController.scene.name
            if found[scene] == nil { found[scene] = distances[index] }
        }
        return found
    }
}
