/// The rules for guests, who use an app with guests without being logged in.
///
/// An operation of a guest is performed on a copy of the window as it would be for a member. If a
/// members' scene stands where a guest must not have it afterwards, the copy is dropped. The user is
/// then asked to log in, or the program's operation is refused.
extension Window {
    /// Completes an operation on the window of a guest.
    /// - Parameters:
    ///   - old: the window before the operation.
    ///   - animated: the value of the member `animated`; nil if the request has none.
    /// - Returns: whether the operation has logged the guest in.
    /// - Throws: `.loginRequired` if a program's operation shows a members' scene; the reason why
    ///   the action of a user would be refused to a member too, or why the log-in scene cannot be
    ///   presented.
    mutating func finish(
        _ operation: Operation, ofGuest old: Window, animated: Bool?, in app: App
    ) throws(NavigationError) -> Bool {
        guard case .guest = auth else { return true }
        if let scene = membersScene {
            let said = animated == operation.base.isAnimatedByDefault ? nil : animated
            guard let action = operation.base.pendingAction(in: old, animated: said, app) else {
                throw .loginRequired(scene.name)
            }
            // Log-in scenes are refused to a member.
            let holdsNewLogin = layers.flatMap(\.navigationControllers)
                .flatMap(\.stack.viewControllers).contains {
                    $0.scene.access == .login && $0.id.number > old.lastViewController
                }
            if holdsNewLogin { throw .alreadyLoggedIn }
            try checkSize(replacing: old, app.limits)
            self = old
            try ask(for: action, in: app)
        }
        // The action goes on waiting if only a new storyboard has taken away what it needs.
        if let pending, !canStillWait(pending), old.canStillWait(pending) { self.pending = nil }
        return false
    }

    /// Checks that a guest may have the present layers and stacks.
    /// - Throws: `.loginRequired` if a members' scene is where a guest must not have it.
    func checkGuest() throws(NavigationError) {
        guard case .guest = auth, let scene = membersScene else { return }
        throw .loginRequired(scene.name)
    }

    /// The first members' scene that is not the root of a tab which is not selected; nil if there is
    /// none. The tab bar has a view controller for each of its tabs, also for a guest.
    var membersScene: Scene? {
        for layer in layers {
            for (index, holder) in layer.navigationControllers.enumerated() {
                let entries = holder.stack.viewControllers
                let shown = entries[(index == layer.selectedIndex ? 0 : 1)...]
                if let found = shown.first(where: { $0.scene.access == .members }) {
                    return found.scene
                }
            }
        }
        return nil
    }

    /// Remembers an action, and presents the log-in scene unless a log-in scene is visible.
    /// - Throws: `.tooManyLayers`.
    private mutating func ask(
        for action: PendingAction, in app: App
    ) throws(NavigationError) {
        pending = action
        let presenter = topViewController
        guard presenter.scene.access != .login, let scene = app.storyboard.loginScene else {
            return
        }
        guard layers.count < Layer.maximum else { throw .tooManyLayers(maximum: Layer.maximum) }
        let isContainer = scene.kind.isContainer
        let roots =
            isContainer
            ? app.storyboard.roots(of: scene) : [ContainerRoot(scene: scene, isBare: false)]
        let layer = makeLayer(
            scene, roots.map { ($0, .none) },
            style: (scene.presentation ?? .pageSheet).resolved(in: app.storyboard.uikit),
            presenter: presenter.id, isModal: isContainer && scene.isModalInPresentation, in: app)
        withLayers { $0.append(layer) }
        normalize()
    }

    /// Returns whether the user is still logging in, and the view controller of the action still
    /// exists.
    private func canStillWait(_ action: PendingAction) -> Bool {
        if let id = action.viewController, position(of: id) == nil { return false }
        return layers.contains { layer in
            layer.navigationControllers.contains {
                $0.stack.viewControllers.contains { $0.scene.access == .login }
            }
        }
    }

    /// Keeps the value of `animated` with a link that has just been opened at the login root.
    /// - Parameter old: the action that waited before.
    mutating func keepAnimated(
        of operation: Operation, _ animated: Bool?, since old: PendingAction?
    ) {
        guard let link = pending, link !== old, root == .login, operation.base is Open,
            let animated, animated != operation.base.isAnimatedByDefault
        else { return }
        pending = PendingAction(link.operation, animated: animated)
    }

    /// The window as if no action waited for the log-in.
    package var withoutPendingAction: Window {
        var window = self
        window.pending = nil
        return window
    }

    // MARK: Log-in

    /// Logs the user in where the user is: removes the log-in scenes, with all that they have
    /// presented. All else stays.
    mutating func logInGuest(as username: String, in app: App) {
        auth = .loggedIn(username: username)
        var index = 0
        while index < layers.count {
            let holders = layers[index].navigationControllers
            if index > 0, holders.contains(where: { $0.stack.root.scene.access == .login }) {
                return dismissLayers(above: index - 1)
            }
            var gone: [ViewController.ID] = []
            for (controller, holder) in holders.enumerated() {
                let entries = holder.stack.viewControllers
                guard let first = entries.firstIndex(where: { $0.scene.access == .login }) else {
                    continue
                }
                gone += entries[first...].map(\.id)
                let position = StackPosition(layer: index, controller: controller)
                if first > 0 {
                    pop(at: position, to: first - 1)
                } else {
                    show([newRoot(ofTab: controller, in: app)], at: position)
                }
            }
            if index + 1 < layers.count, let presenter = layers[index + 1].presentingViewController,
                gone.contains(presenter)
            {
                return dismissLayers(above: index)
            }
            index += 1
        }
    }

    /// Returns the view controller with which a stack of the root layer begins anew.
    private mutating func newRoot(ofTab index: Int, in app: App) -> ViewController {
        if let segment = segments?.selectedIndex {
            let root = segmentRoot(segment, in: app)
            // A client may have pushed this root in a higher layer.
            if let place = position(of: root.id), place.stack.layer > 0 { dismissLayers(above: 0) }
            return root
        }
        let scene = layers[0].tabBarScene ?? Self.rootScene(for: auth, in: app.storyboard)
        return makeViewController(app.storyboard.roots(of: scene)[index].scene, in: app)
    }

    /// Carries out an action that has waited for the log-in, as the user would perform it now. An
    /// action that is refused does not prevent the log-in, and is forgotten.
    mutating func carryOut(_ action: PendingAction, in app: App) {
        guard action.viewController == nil || action.viewController == topViewController.id else {
            return
        }
        var window = self
        do throws(NavigationError) {
            try window.checkUserAction(action.operation, in: app)
            if let open = action.operation.base as? Open {
                // The limits are those of a client's link. Its normal form may be longer.
                try window.open(open.link, in: app)
            } else {
                try action.operation.base.perform(on: &window, in: app)
            }
            window.normalize()
            try window.checkSize(replacing: self, app.limits)
        } catch { return }
        self = window
    }
}
