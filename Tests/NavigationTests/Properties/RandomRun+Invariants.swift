@testable import NavigationRules

/// The rules that each window obeys, whatever was done to it.
extension RandomRun {
    func checkWindow() throws(Violation) {
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
        if triesTaps { try checkTaps() }
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

    /// Checks that each tap that is offered can be done; in some windows also by its title, unless
    /// others have it.
    private func checkTaps() throws(Violation) {
        let taps = window.taps(in: app)
        // A title is only another name of the tap.
        let triesTitles = window.lastEvent % 4 == 0
        for tap in taps {
            try attempt(.tap(TapControl(tap)), for: tap)
            if triesTitles, taps.count(where: { $0.title == tap.title }) == 1 {
                // The title of an accessory alone stands for its row.
                let place = tap.place == .accessory ? tap.place : nil
                try attempt(.tap(TapControl(title: tap.title, in: place)), for: tap)
            }
        }
    }

    private func attempt(_ operation: Operation, for tap: Tap) throws(Violation) {
        do {
            _ = try window.performing(operation, animated: true, in: app)
        } catch {
            switch error {
            // No control can know a limit of the service, or that its layer is the root.
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
}
