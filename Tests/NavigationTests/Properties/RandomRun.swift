@testable import NavigationRules

/// A window under random operations, and the rules that must hold after each of them.
struct RandomRun {
    struct Violation: Error, CustomStringConvertible {
        let description: String
    }

    private var app: App
    private(set) var window: Window
    private var visibility: Visibility
    private var seen: [ViewController.ID]
    private var live: Set<ViewController.ID>
    private var dead: Set<ViewController.ID> = []
    private var liveHolders: Set<NavigationController.ID> = []
    private var endedHolders: Set<NavigationController.ID> = []

    init(_ app: App, lifecycle: LifecycleOrder) throws(Violation) {
        self.app = app
        let (window, events) = Window.launch(app, lifecycle: lifecycle)
        self.window = window
        visibility = Visibility()
        seen = window.allViewControllers.map(\.id)
        live = Set(seen)
        try visibility.take(events, of: window, isOneStack: window.isSingleStack)
        try checkWindow()
    }

    mutating func step(seed: UInt64) throws(Violation) {
        let (operation, animated) = RandomOperation.make(
            seed: seed, for: window, seen: seen, in: app)
        try step(operation, animated: animated)
    }

    /// Performs an operation.
    /// - Returns: whether the operation was not refused.
    @discardableResult
    mutating func step(_ operation: Operation, animated: Bool) throws(Violation) -> Bool {
        let before = window
        let outcome: Outcome?
        do throws(NavigationError) {
            outcome = try window.perform(operation, animated: animated, in: app)
        } catch {
            outcome = nil
            try checkDeclaration(of: error, by: operation)
        }
        if let outcome {
            try check(outcome, of: operation, animated: animated, before: before)
        } else {
            try require(window == before, "\(operation) was refused, yet the window changed")
        }
        try checkIDs()
        try checkWindow()
        return outcome != nil
    }

    /// Checks that an operation declares the refusal with which it was refused.
    private func checkDeclaration(
        of error: NavigationError, by operation: Operation
    ) throws(Violation) {
        if case .inBatch(let index, _, let error) = error, let batch = operation.base as? Batch {
            return try checkDeclaration(of: error, by: batch.operations[index].operation)
        }
        let declared = type(of: operation.base).refusals + [.invalidBody, .notAUserAction]
        try require(
            declared.contains(error.code), "\(operation) declares no refusal \(error.code)")
    }

    /// Stores the window and restores it, like a restart of the process, possibly with another
    /// storyboard.
    mutating func restart(in app: App) throws(Violation) {
        let before = window
        self.app = app
        let events: [LifecycleEvent]?
        (window, events) = Window.restore(before.stored, in: app)
        try require(window.lifecycle == before.lifecycle, "lifecycle \(window.lifecycle)")
        if let events, events.isEmpty {
            try checkExtended(before)
        } else if let events {
            try checkFresh(before)
            // No events announce the end of the view controllers from before the restart.
            visibility.restart()
            try visibility.take(events, of: window, isOneStack: window.isSingleStack)
        } else {
            try checkRestored(before)
        }
        try checkIDs()
        try checkWindow()
    }

    private func checkRestored(_ before: Window) throws(Violation) {
        try require(window == before, "restored \(window), not \(before)")
        try require(window.stored == before.stored, "stored again as another")
        for (now, then) in zip(window.allViewControllers, before.allViewControllers) {
            try require(
                now.scene.name == then.scene.name && now.parameters == then.parameters
                    && now.bottomBarText == then.bottomBarText, "\(now), not \(then)")
        }
        try require(window.navigationBar == before.navigationBar, "another navigation bar")
    }

    /// Checks that the window has only new tabs or segments, as after a launch.
    private func checkExtended(_ before: Window) throws(Violation) {
        let newest = seen.map(\.number).max() ?? 0
        try require(window.layers.count == before.layers.count, "other layers")
        for (now, then) in zip(window.layers, before.layers) {
            let count = then.navigationControllers.count
            try require(
                now.navigationControllers.starts(with: then.navigationControllers)
                    && now.selectedIndex == then.selectedIndex, "other stacks")
            for added in now.navigationControllers.dropFirst(count) {
                let entries = added.stack.viewControllers
                try require(
                    entries.count == 1 && !entries[0].isViewLoaded && entries[0].id.number > newest
                        && added.id.number > before.lastNavigationController, "a tab \(added)")
            }
        }
        let (now, then) = (window.stored.segments, before.stored.segments)
        let roots = then?.roots ?? []
        try require(
            now?.roots.starts(with: roots) ?? true && now?.selectedIndex == then?.selectedIndex
                && now?.kept == then?.kept
                && now?.roots.dropFirst(roots.count).allSatisfy { $0 == nil } ?? true,
            "other segments")
        try require(window != before, "no new tab or segment")
        try require(window.revision == before.revision + 1, "revision \(window.revision)")
        try require(window.lastEvent == before.lastEvent, "events without a change on the screen")
    }

    /// Checks that the window is at a new root, as after a launch.
    private func checkFresh(_ before: Window) throws(Violation) {
        let newest = seen.map(\.number).max() ?? 0
        try require(window.viewControllers.count == 1, "a fresh root with more on it")
        try require(window.layers.count == 1, "a fresh root under a layer")
        let root = window.topViewController
        try require(root.id.number > newest, "\(root.id) after vc\(newest)")
        try require(root.isViewLoaded, "a fresh root that is not loaded")
        let storyboard = app.storyboard
        let scene =
            switch window.root {
            case .login: storyboard.loginScene
            case .app: storyboard.segments.first?.scene ?? storyboard.initialScene
            }
        try require(root.scene === scene, "a fresh root of \(root.scene.name)")
        try require(
            window.segments?.selectedIndex ?? 0 == 0, "a fresh root with another segment")
        try require(window.revision == before.revision + 1, "revision \(window.revision)")
    }

    func describe(seed: UInt64) -> String {
        let (operation, animated) = RandomOperation.make(
            seed: seed, for: window, seen: seen, in: app)
        return "\(operation)\(animated ? "" : ", not animated")"
    }

    /// Checks that the effect of a change leads from the stored state before it to the one after it.
    private func checkEffect(_ before: Window) throws(Violation) {
        let effect = WindowEffect(from: before, to: window)
        var stored = before.stored
        try require(
            stored.apply(effect, revision: window.revision) && stored == window.stored,
            "\(effect) does not lead to the stored window")
    }

    // MARK: The effects of an operation

    private mutating func check(
        _ outcome: Outcome, of operation: Operation, animated: Bool, before: Window
    ) throws(Violation) {
        try require(outcome.changed == (window != before), "changed: \(outcome.changed)")
        try require(
            window.revision == before.revision + (outcome.changed ? 1 : 0),
            "revision \(before.revision) became \(window.revision)")
        try checkEffect(before)
        let present = Set(window.allViewControllers.map(\.id))
        try require(
            outcome.popped.map(\.id)
                == before.allViewControllers.map(\.id).filter { !present.contains($0) },
            "popped \(outcome.popped.map(\.id))")
        let isInPlace = before.auth == .guest && window.isLoggedIn
        let animated = isInPlace ? before.pending?.animated ?? true : animated
        try require(
            outcome.events.allSatisfy {
                $0.animated == animated && $0.revision == window.revision
            }, "an event of another operation")
        try visibility.take(
            outcome.events, of: window, isOneStack: window.isSingleStack && before.isSingleStack)
        try checkTransition(outcome.transition, before: before)
        if let batch = operation.base as? Batch {
            try checkNetEffect(of: batch.operations.map(\.operation), before: before)
        }
    }

    private func checkTransition(
        _ transition: Transition, before: Window
    ) throws(Violation) {
        let top = window.topViewController.id
        let expected: Transition =
            if window.root != before.root || before.isLoggedIn && !window.isLoggedIn {
                .root
            } else if top == before.topViewController.id {
                .none
            } else if before.isSingleStack && window.isSingleStack {
                before.viewControllers.contains { $0.id == top } ? .pop : .push
            } else if !before.layers.contains(where: { $0.id == window.activeLayer.id }) {
                .present
            } else if before.activeLayer.id != window.activeLayer.id {
                .dismiss
            } else if before.activeLayer.selectedIndex != window.activeLayer.selectedIndex {
                .tab
            } else {
                before.viewControllers.contains { $0.id == top } ? .pop : .push
            }
        try require(transition == expected, "transition \(transition), not \(expected)")
    }

    /// Checks that a batch has the same result as its operations one after another.
    private func checkNetEffect(
        of operations: [Operation], before: Window
    ) throws(Violation) {
        var (single, window) = (before, window)
        for operation in operations {
            do {
                _ = try single.perform(
                    operation, animated: false,
                    in: App(storyboard: app.storyboard, dataSource: app.dataSource))
            } catch {
                throw Violation(description: "\(operation) works in a batch only: \(error)")
            }
        }
        // The end of a batch decides whether an action still waits.
        if before.pending != nil { (single.pending, window.pending) = (nil, nil) }
        try require(
            Self.content(single) == Self.content(window),
            "a batch left \(Self.content(window)), its operations \(Self.content(single))")
    }

    /// Returns the stack without ids, because a batch that undoes itself uses no ids.
    private static func content(_ window: Window) -> String {
        let all = window.allViewControllers
        let layers = window.layers.map { layer in
            let presenter = layer.presentingViewController
            let stacks = layer.navigationControllers.map { holder in
                holder.stack.viewControllers.map { "\($0.scene.name)\($0.parameters.values)" }
            }
            return "\(layer.presentationStyle?.rawValue ?? "") "
                + "\(all.firstIndex { $0.id == presenter } ?? -1) \(layer.selectedIndex) \(stacks)"
        }
        return "\(layers) \(window.auth) \(window.pending.map { "\($0.operation)" } ?? "")"
    }

    // MARK: Invariants

    private mutating func checkIDs() throws(Violation) {
        let all = window.allViewControllers + (window.segments?.kept ?? [])
        let now = Set(all.map(\.id))
        try require(now.count == all.count, "an instance is in two places")
        let holders = Set(window.layers.flatMap(\.navigationControllers).map(\.id))
        try require(holders.isDisjoint(with: endedHolders), "a navigation controller is back")
        endedHolders.formUnion(liveHolders.subtracting(holders))
        liveHolders = holders
        try require(now.isDisjoint(with: dead), "a dead id is back")
        seen += now.subtracting(seen).sorted { $0.number < $1.number }
        let stillLive = Set(seen.filter { !dead.contains($0) && isLive($0) })
        dead.formUnion(live.subtracting(stillLive))
        live = stillLive
    }

    /// Returns whether a view controller exists: an update without changes is refused only if it
    /// does not.
    private func isLive(_ id: ViewController.ID) -> Bool {
        var window = window
        return (try? window.perform(.update(id, ViewControllerChanges()), animated: false, in: app))
            != nil
    }

    private func checkWindow() throws(Violation) {
        let stack = window.allViewControllers
        for holder in window.layers.flatMap(\.navigationControllers) {
            let depth = holder.stack.viewControllers.count
            try require(depth > 0, "\(holder.id) is empty")
            try require(depth <= app.limits.stackDepth, "\(holder.id) is too deep")
        }
        try checkAccess(of: stack)
        try require(stack.allSatisfy { !$0.scene.kind.isContainer }, "a container on the stack")
        for viewController in stack {
            try require(
                viewController.isViewLoaded == visibility.loaded.contains(viewController.id),
                "\(viewController.id) isViewLoaded: \(viewController.isViewLoaded)")
        }
        try require(
            window.lastEvent == visibility.lastEvent, "the last event is \(window.lastEvent)")
        try checkLayers()
        try checkTaps()
        if window.auth == .guest {
            let restored = Window.restore(window.stored, in: app)
            try require(
                restored.events == nil && restored.window == window, "a guest is not restored")
        }
        // The check makes another window, which takes as long as all other checks.
        if window.lastEvent % 8 == 0 { try checkLink() }
        if window.isBare {
            try require(window.navigationBar == nil, "a bare one has a navigation bar")
        } else {
            try checkBars()
        }
    }

    /// Checks that the scenes are those that the user may see, and that an action waits only while
    /// the user logs in.
    private func checkAccess(of stack: [ViewController]) throws(Violation) {
        let hasLogIn = stack.contains { $0.scene.access == .login }
        switch window.auth {
        case .loggedOut:
            try require(
                stack.allSatisfy { $0.scene.access == .login }, "another scene at the login root")
        case .loggedIn: try require(!hasLogIn, "a log-in scene for a member")
        case .guest:
            for layer in window.layers {
                for (index, holder) in layer.navigationControllers.enumerated() {
                    let entries = holder.stack.viewControllers
                    let shown = index == layer.selectedIndex ? entries[...] : entries.dropFirst()
                    try require(
                        !shown.contains { $0.scene.access == .members },
                        "a guest has a members' scene")
                }
            }
        }
        try require(
            (window.root == .login) == (window.auth == .loggedOut), "the root of nobody")
        guard let pending = window.pending else { return }
        try require(hasLogIn, "\(pending.operation) waits for no log-in")
        if let id = pending.viewController {
            try require(
                stack.contains { $0.id == id }, "an action waits for \(id), which is on no stack")
        }
    }

    /// Checks the link of the window. It changes nothing, and leads to the same stack in a new
    /// window. It is nil only if there is no such link.
    private func checkLink() throws(Violation) {
        let top = window.topViewController
        let link = window.link(in: app)
        guard window.root == .app, let main = app.storyboard.linkIndex.main(of: top.scene),
            let text = main.entry.link(top.parameters)
        else { return try require(link == nil, "the link \(link ?? "") of \(top.scene.name)") }
        var copy = window
        let outcome = try? copy.perform(.open(.path(text)), animated: false, in: app)
        guard let link else {
            return try require(outcome?.changed != false, "no link, and \(text) changes nothing")
        }
        try require(link == text, "\(link) is not \(text)")
        try require(outcome?.changed == false, "\(link) changes \(Self.content(window))")
        let name: String? = if case .loggedIn(let name) = window.auth { name } else { nil }
        let new = try? Window.launch(app, opening: .path(link), username: name).window
        let (old, shown) = (window.viewControllers, new?.viewControllers ?? [])
        try require(
            old.map(\.scene.name) == shown.map(\.scene.name)
                && old.map(\.parameters) == shown.map(\.parameters),
            "\(link) shows another stack in a new session")
    }

    private func checkLayers() throws(Violation) {
        let layers = window.layers
        try require(layers.count <= Layer.maximum, "\(layers.count) layers")
        for (index, layer) in layers.enumerated() {
            try require(
                (layer.presentationStyle == nil) == (index == 0), "the style of layer \(index)")
            for holder in layer.navigationControllers where holder.isBare {
                try require(holder.stack.viewControllers.count == 1, "\(holder.id) is bare")
            }
            if index > 0, let presenter = layer.presentingViewController {
                let below = layers[index - 1].navigationControllers
                try require(
                    below.contains { $0.stack.viewControllers.contains { $0.id == presenter } },
                    "\(presenter) presents layer \(index) from elsewhere")
            }
        }
        let isPlain = layers.count == 1 && !layers[0].hasTabBar && !layers[0].selected.isBare
        try require(window.isSingleStack == isPlain, "not the form of one stack: \(layers.count)")
    }

    /// Checks that each tap that is offered can be done, and by its title unless others have it.
    private func checkTaps() throws(Violation) {
        let taps = window.taps(in: app)
        for tap in taps {
            try attempt(.tap(TapControl(tap)), for: tap)
            if taps.count(where: { $0.title == tap.title }) == 1 {
                try attempt(.tap(TapControl(title: tap.title)), for: tap)
            }
        }
    }

    private func attempt(_ operation: Operation, for tap: Tap) throws(Violation) {
        do {
            _ = try window.performing(operation, animated: true, in: app)
        } catch {
            switch error {
            // What no control can know of: a limit of the service, or that its layer is the root.
            case .tooManyLayers, .stackTooDeep, .tooManyViewControllers: break
            case .inRootLayer where window.layers.count == 1: break
            default: throw Violation(description: "\(tap) is refused: \(error)")
            }
        }
    }

    private func checkBars() throws(Violation) {
        let stack = window.viewControllers
        let top = stack[stack.count - 1]
        let item = top.navigationItem
        let bar = window.navigationBar
        let isBackShown =
            stack.count > 1 && !item.hidesBackButton
            && (bar?.leftItems.isEmpty == true || item.leftItemsSupplementBackButton)
        var title: String?
        if isBackShown {
            let below = stack[stack.count - 2]
            let titles = [
                below.navigationItem.backButtonTitle, below.navigationItem.title, below.title,
            ]
            let first = titles.compactMap { $0 }.first ?? ""
            title = first.isEmpty ? "Back" : first
        }
        try require(bar?.backButton?.title == title, "back button \(bar?.backButton as Any)")
        try require(bar?.title == item.title ?? top.title, "title \(bar?.title as Any)")
        try require(bar?.titleView == nil || stack.count == 1, "a segmented control above the root")
        try require(window.bottomBar.text == top.bottomBarText, "the bottom bar of another top")
        try require(
            window.toolbar.isHidden
                == (top.toolbarItems.isEmpty || top.hidesBottomBarWhenPushed), "toolbar hidden")
        try require(window.bottomBar.isHidden == top.hidesBottomBarWhenPushed, "bottom bar hidden")
    }

    private func require(
        _ condition: Bool, _ description: @autoclosure () -> String
    ) throws(Violation) {
        if !condition { throw Violation(description: description()) }
    }
}

extension Visibility {
    fileprivate mutating func take(
        _ events: [LifecycleEvent], of window: Window, isOneStack: Bool
    ) throws(RandomRun.Violation) {
        let layers = window.layers
        let onScreen = layers.indices
            .filter { index in
                let above = index + 1 < layers.count ? layers[index + 1].presentationStyle : nil
                return above != .fullScreen && above != .currentContext
            }
            .map { layers[$0].selected }
        try take(
            events, order: window.lifecycle, onScreen: Set(onScreen.map(\.topViewController.id)),
            bare: Set(onScreen.filter(\.isBare).map(\.topViewController.id)),
            isOneStack: isOneStack)
    }
}

extension Window {
    /// The view controllers on all stacks: layers bottom to top, tabs in order, root first.
    var allViewControllers: [ViewController] {
        layers.flatMap(\.navigationControllers).flatMap(\.stack.viewControllers)
    }
}
