/// The completion of a change: the transition, the popped view controllers and the lifecycle
/// events.
extension Window {
    /// A view controller that is on screen.
    private struct Shown {
        let viewController: ViewController
        let position: StackPosition
        let isBare: Bool

        var id: ViewController.ID { viewController.id }
    }

    /// Completes a change that one or several operations have made. Increases the revision by one,
    /// and computes the single transition from the old visible view controller to the new one.
    /// - Parameters:
    ///   - old: the window before the change.
    ///   - animated: the value of `animated` in the lifecycle events.
    /// - Returns: the transition, the popped view controllers and the lifecycle events.
    mutating func settle(from old: Window, animated: Bool, in app: App) -> Outcome {
        revision += 1
        guard !gestures.isEmpty else {
            return settleTransition(from: old, animated: animated, in: app)
        }
        let gestures = gestures
        self.gestures = []
        var events: [LifecycleEvent] = []
        begin(gestures, animated: animated, in: app, &events)
        let outcome = settleTransition(from: old, animated: animated, in: app)
        events += outcome.events
        end(gestures, animated: animated, &events)
        return Outcome(
            changed: true, transition: outcome.transition, popped: outcome.popped, events: events)
    }

    private mutating func settleTransition(
        from old: Window, animated: Bool, in app: App
    ) -> Outcome {
        if case .single = content, case .single(let oldStack) = old.content {
            return settle(
                from: oldStack, isNewRoot: hasNewRoot(since: old), animated: animated, in: app)
        }
        let transition = transition(from: old)
        let events = display(
            animated: animated, replacing: old,
            callbacks: lifecycle.callbacks(
                of: transition, showsOtherTab: showsOtherTab(than: old),
                in: app.storyboard.uikit),
            in: app)
        return Outcome(
            changed: true, transition: transition, popped: old.viewControllers(missingFrom: self),
            events: events)
    }

    /// Completes a change of a window that has only one navigation controller, both before and
    /// after the change.
    /// - Parameters:
    ///   - old: the navigation stack before the change.
    ///   - isNewRoot: whether the user has logged in or out.
    private mutating func settle(
        from old: NavigationStack, isNewRoot: Bool, animated: Bool, in app: App
    ) -> Outcome {
        let top = rootStack.top
        let isSameTop = top.id == old.top.id
        let transition: Transition =
            if isNewRoot { .root } else if isSameTop { .none } else {
                old.index(of: top.id) == nil ? .push : .pop
            }
        let popped = old.viewControllers(missingFrom: rootStack)
        // No variable holds the new stack here. Otherwise `display` would copy it to mark the view
        // as loaded.
        let events = isSameTop ? [] : display(top, animated: animated, replacing: old.top, in: app)
        return Outcome(changed: true, transition: transition, popped: popped, events: events)
    }

    /// Returns whether the root layer is another one than in `old`. A guest who logs in keeps the
    /// root layer, and a member who logs out gets a new one.
    private func hasNewRoot(since old: Window) -> Bool {
        root != old.root || old.isLoggedIn && !isLoggedIn
    }

    /// Returns the way in which the visible view controller became visible since `old`.
    private func transition(from old: Window) -> Transition {
        if hasNewRoot(since: old) { return .root }
        let visible = topViewController.id
        guard visible != old.topViewController.id else { return .none }
        let (layer, oldLayers) = (activeLayer, old.layers)
        guard let index = oldLayers.firstIndex(where: { $0.id == layer.id }) else {
            return .present
        }
        if index < oldLayers.count - 1 { return .dismiss }
        if oldLayers[index].selected.id != layer.selected.id { return .tab }
        return oldLayers[index].selected.stack.index(of: visible) == nil ? .push : .pop
    }

    /// Returns whether some layer is on screen in both windows, but shows another tab than in
    /// `old`.
    private func showsOtherTab(than old: Window) -> Bool {
        let (layers, oldLayers) = (layers, old.layers)
        return layers.indices.contains { index in
            guard Self.isOnScreen(index, of: layers),
                let before = oldLayers.firstIndex(where: { $0.id == layers[index].id }),
                Self.isOnScreen(before, of: oldLayers)
            else { return false }
            return oldLayers[before].selected.id != layers[index].selected.id
        }
    }

    /// Returns the view controllers on the stacks of this window that are on no stack of `other`.
    /// They are ordered by layer from bottom to top, then by tab, then by place on the stack from
    /// bottom to top.
    private func viewControllers(missingFrom other: Window) -> [ViewController] {
        let stacks = Dictionary(
            uniqueKeysWithValues: other.layers.flatMap(\.navigationControllers)
                .map { ($0.id, $0.stack) })
        let left = layers.flatMap(\.navigationControllers).flatMap { holder in
            stacks[holder.id].map(holder.stack.viewControllers(missingFrom:))
                ?? holder.stack.viewControllers
        }
        guard let segments else { return left }
        // Only the root of a segment can move from one stack to another.
        return left.filter {
            segments.index(of: $0.id) == nil || other.position(of: $0.id) == nil
        }
    }

    // MARK: Events

    /// Shows a new window for the first time, and returns the lifecycle events.
    mutating func displayFirst(in app: App) -> [LifecycleEvent] {
        switch content {
        case .single(let stack): display(stack.top, animated: false, replacing: nil, in: app)
        case .several:
            display(
                animated: false, replacing: nil, callbacks: lifecycle.stackCallbacks, in: app)
        }
    }

    /// The view controllers that are on screen, from the bottom layer to the top layer.
    private var onScreen: [Shown] {
        let layers = layers
        return layers.indices.filter { Self.isOnScreen($0, of: layers) }.map { index in
            let layer = layers[index]
            return Shown(
                viewController: layer.selected.topViewController,
                position: StackPosition(layer: index, controller: layer.selectedIndex),
                isBare: layer.selected.isBare)
        }
    }

    /// Loads the views of the view controllers that appear for the first time. Returns the
    /// lifecycle events of all view controllers that appear or disappear.
    /// - Parameters:
    ///   - animated: the value of `animated` in the lifecycle events.
    ///   - old: the window before the change; nil for the first display of a new window.
    ///   - callbacks: the callbacks that produce events, in the order of the events.
    private mutating func display(
        animated: Bool, replacing old: Window?, callbacks: [LifecycleOrder.Callback],
        in app: App
    ) -> [LifecycleEvent] {
        let logsAppearing = app.storyboard.callbacks.contains(.viewIsAppearing)
        let before = old?.onScreen ?? []
        let now = onScreen
        let gone = before.reversed().filter { old in !now.contains { $0.id == old.id } }
        let come = now.filter { new in !before.contains { $0.id == new.id } }
        var events: [LifecycleEvent] = []
        for (kind, side) in callbacks {
            for shown in side == .new ? come : gone {
                let isLeftOut =
                    switch kind {
                    case .viewDidLoad: shown.viewController.isViewLoaded
                    case .willShow, .didShow: shown.isBare
                    case .viewIsAppearing: !logsAppearing
                    default: false
                    }
                if isLeftOut { continue }
                lastEvent += 1
                events.append(
                    LifecycleEvent(
                        seq: lastEvent, revision: revision, kind: kind,
                        viewController: shown.id, scene: shown.viewController.scene.name,
                        animated: animated))
            }
        }
        for shown in come where !shown.viewController.isViewLoaded { load(at: shown.position) }
        return events
    }

    /// Loads the view of the new top view controller in a window that has only one stack, and
    /// returns the lifecycle events. Nearly all requests use this method.
    /// - Parameters:
    ///   - animated: the value of `animated` in the lifecycle events.
    ///   - old: the top view controller before the change; nil for the first display of a new
    ///     window.
    private mutating func display(
        _ top: ViewController, animated: Bool, replacing old: ViewController?, in app: App
    ) -> [LifecycleEvent] {
        let logsAppearing = app.storyboard.callbacks.contains(.viewIsAppearing)
        // The ids and scenes are copied once instead of once for each event.
        let new = (id: top.id, scene: top.scene.name)
        let old = old.map { (id: $0.id, scene: $0.scene.name) }
        var events: [LifecycleEvent] = []
        let callbacks = lifecycle.stackCallbacks
        events.reserveCapacity(callbacks.count)
        for (kind, side) in callbacks {
            guard let subject = side == .new ? new : old else { continue }
            if kind == .viewDidLoad, top.isViewLoaded { continue }
            if kind == .viewIsAppearing, !logsAppearing { continue }
            lastEvent += 1
            events.append(
                LifecycleEvent(
                    seq: lastEvent, revision: revision, kind: kind, viewController: subject.id,
                    scene: subject.scene, animated: animated))
        }
        if !top.isViewLoaded { load(at: StackPosition()) }
        return events
    }

    /// Marks the view of the top view controller at `position` as loaded.
    private mutating func load(at position: StackPosition) {
        self[position].updateTop { $0.isViewLoaded = true }
    }
}

// MARK: - Before the change is completed

extension Window {
    func differs(from other: Window) -> Bool {
        content != other.content || auth != other.auth || flags != other.flags
            || pending != other.pending
            || segments?.selectedIndex != other.segments?.selectedIndex
            || segments?.hasUpdates(since: other.segments) == true || !gestures.isEmpty
    }

    /// Checks the depth of the stacks, the number of view controllers and the size of the texts
    /// after a change. If the operator has lowered a limit, the window may have exceeded the limit
    /// even before the change. The change is then accepted if it does not increase the number or
    /// size to which the limit applies, or the depth of any stack deeper than the limit.
    /// - Parameter old: the window before the change.
    /// - Throws: `.stackTooDeep`, `.tooManyViewControllers`, `.sessionTooLarge`.
    func checkSize(replacing old: Window, _ limits: SizeLimits) throws(NavigationError) {
        let (size, oldSize) = (measured, old.measured)
        if size.depth > limits.stackDepth, hasDeeperStack(than: old, above: limits.stackDepth) {
            throw .stackTooDeep(maximum: limits.stackDepth)
        }
        guard size.count <= SizeLimits.viewControllers || size.count <= oldSize.count else {
            throw .tooManyViewControllers(maximum: SizeLimits.viewControllers)
        }
        let text = textSize
        guard text <= limits.sessionSize || text <= old.textSize else {
            throw .sessionTooLarge(maximum: limits.sessionSize)
        }
    }

    /// Returns whether a stack is deeper than `limit` and deeper than it was in `old`.
    private func hasDeeperStack(than old: Window, above limit: Int) -> Bool {
        let oldDepths = Dictionary(
            uniqueKeysWithValues: old.layers.flatMap(\.navigationControllers)
                .map { ($0.id, $0.stack.viewControllers.count) })
        return layers.flatMap(\.navigationControllers).contains {
            $0.stack.viewControllers.count > max(limit, oldDepths[$0.id] ?? 0)
        }
    }

    /// An estimate of the number of bytes that the window takes in a store. It is proportional to
    /// the memory that the window takes.
    public var approximateSize: Int { textSize + measured.count * 32 }

    /// The depth of the deepest stack, and the number of view controllers on all stacks together.
    private var measured: (depth: Int, count: Int) {
        switch content {
        case .single(let stack): (stack.viewControllers.count, stack.viewControllers.count)
        case .several(let layers):
            layers.reduce(into: (0, 0)) { size, layer in
                for holder in layer.navigationControllers {
                    let depth = holder.stack.viewControllers.count
                    size = (max(size.0, depth), size.1 + depth)
                }
            }
        }
    }

    /// The total size of the parameter values, of the texts that clients have set and of the
    /// pending action, in bytes, when written as JSON strings.
    private var textSize: Int {
        let onStacks =
            switch content {
            case .single(let stack): stack.textSize
            case .several(let layers):
                layers.reduce(0) { sum, layer in
                    layer.navigationControllers.reduce(sum) { $0 + $1.stack.textSize }
                }
            }
        return onStacks + (segments?.kept.reduce(0) { $0 + $1.textSize } ?? 0)
            + (pending?.textSize ?? 0)
    }
}
