@testable import NavigationRules

/// A window under random operations, and the rules that must hold after each of them.
struct RandomRun {
    struct Violation: Error, CustomStringConvertible {
        let description: String
    }

    private(set) var app: App
    private(set) var window: Window
    private(set) var visibility: Visibility
    private var seen: [ViewController.ID]
    private var live: Set<ViewController.ID>
    private var dead: Set<ViewController.ID> = []
    private var liveHolders: Set<NavigationController.ID> = []
    private var endedHolders: Set<NavigationController.ID> = []
    /// Whether all taps that a window offers are tried, which takes longer than the other checks.
    let triesTaps: Bool

    init(_ app: App, lifecycle: LifecycleOrder, triesTaps: Bool = true) throws(Violation) {
        self.app = app
        self.triesTaps = triesTaps
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
        let isSameApp = app === self.app
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
            // The window is the one that obeyed the rules before.
            if isSameApp { return }
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
    static func content(_ window: Window) -> String {
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

    // MARK: Ids

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

    func require(
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
