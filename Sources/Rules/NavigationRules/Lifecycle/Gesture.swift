/// A part of an operation whose callbacks do not follow from the view controllers that appear and
/// disappear.
enum Gesture: Sendable, Equatable {
    /// The user has begun to swipe from the left edge, and has let go early. The view controllers
    /// are the one on top and the one below it.
    case cancelledSwipe(ViewController.ID, below: ViewController.ID)
    /// The user has swiped the top layer down, whose id follows. The view controller was visible in
    /// this layer.
    case swipeDown(ViewController, layer: NavigationController.ID)
    /// The user has tapped a tab. The view controller is the one that the tab then shows.
    case tapTab(ViewController)
    /// The user has tapped a tab that the app does not let the user select, and a segue has followed
    /// the refusal. The view controller is the one that the tab would have shown.
    case refusedTab(ViewController)
    /// An animated push has covered this root in the turn of the run loop in which it was set.
    case coveredRoot(ViewController.ID)
}

extension Window {
    /// Leaves out the gestures without effect on the log. A batch has one transition, so a swipe
    /// that was cancelled in it leaves events only if the same view controller is visible before
    /// and after the batch, and view controllers that are there only during the batch have no events.
    /// A layer that was swiped down showed what it showed before the batch.
    /// - Parameter animated: whether the transition is animated.
    mutating func dropGestures(withoutEventsSince old: Window, animated: Bool) {
        guard !gestures.isEmpty else { return }
        gestures = gestures.compactMap { gesture in
            switch gesture {
            case .cancelledSwipe(let id, let below):
                let isVisible = id == topViewController.id && id == old.topViewController.id
                return isVisible && stack.index(of: below) != nil ? gesture : nil
            case .coveredRoot(let id): return animated && isCoveredRoot(id) ? gesture : nil
            case .swipeDown(_, let id):
                let layer = old.layers.first { $0.id == id }
                return layer.map { .swipeDown($0.selected.topViewController, layer: id) }
            case .tapTab(let shown), .refusedTab(let shown):
                let isThere = [old, self].contains { $0.liveViewController(shown.id) != nil }
                return isThere ? gesture : nil
            }
        }
    }

    /// Returns whether a view controller without a loaded view is the root of a stack on screen, and
    /// is not on top of it.
    private func isCoveredRoot(_ id: ViewController.ID) -> Bool {
        guard let (position, index) = position(of: id), index == 0 else { return false }
        let layers = layers
        return Self.isOnScreen(position.layer, of: layers)
            && layers[position.layer].selectedIndex == position.controller
            && self[position].top.id != id && !self[position].root.isViewLoaded
    }

    /// Appends the events of gestures that come before those of the transition.
    mutating func begin(
        _ gestures: [Gesture], animated: Bool, in app: App, _ events: inout [LifecycleEvent]
    ) {
        for gesture in gestures {
            switch gesture {
            case .cancelledSwipe(_, let below):
                cancelSwipe(over: below, animated: animated, in: app, &events)
            case .coveredRoot(let id): loadRoot(id, animated: animated, &events)
            case .swipeDown(let visible, _):
                log(.presentationControllerShouldDismiss, of: visible, animated, &events)
                log(.presentationControllerWillDismiss, of: visible, animated, &events)
            case .tapTab(let shown), .refusedTab(let shown):
                log(.shouldSelect, of: shown, animated, &events)
            }
        }
    }

    /// Appends the events of gestures that come after those of the transition.
    mutating func end(
        _ gestures: [Gesture], animated: Bool, _ events: inout [LifecycleEvent]
    ) {
        for gesture in gestures {
            switch gesture {
            case .cancelledSwipe, .coveredRoot, .refusedTab: break
            case .swipeDown(let visible, _):
                log(.presentationControllerDidDismiss, of: visible, animated, &events)
            case .tapTab(let shown): log(.didSelect, of: shown, animated, &events)
            }
        }
    }

    private mutating func cancelSwipe(
        over id: ViewController.ID, animated: Bool, in app: App, _ events: inout [LifecycleEvent]
    ) {
        guard let below = stack.index(of: id) else { return }
        let (old, new) = (topViewController, viewControllers[below])
        let logsAppearing = app.storyboard.callbacks.contains(.viewIsAppearing)
        for (kind, side) in lifecycle.cancelledSwipeCallbacks {
            if kind == .viewDidLoad, new.isViewLoaded { continue }
            if kind == .viewIsAppearing, !logsAppearing { continue }
            log(kind, of: side == .new ? new : old, animated, &events)
        }
        if !new.isViewLoaded { self[activePosition].update(at: below) { $0.isViewLoaded = true } }
    }

    private mutating func loadRoot(
        _ id: ViewController.ID, animated: Bool, _ events: inout [LifecycleEvent]
    ) {
        guard let position = position(of: id)?.stack,
            case let root = self[position].root, !root.isViewLoaded
        else { return }
        log(.viewDidLoad, of: root, animated, &events)
        self[position].update(at: 0) { $0.isViewLoaded = true }
    }

    private mutating func log(
        _ kind: LifecycleEvent.Kind, of viewController: ViewController, _ animated: Bool,
        _ events: inout [LifecycleEvent]
    ) {
        lastEvent += 1
        events.append(
            LifecycleEvent(
                seq: lastEvent, revision: revision, kind: kind, viewController: viewController.id,
                scene: viewController.scene.name, animated: animated))
    }
}
