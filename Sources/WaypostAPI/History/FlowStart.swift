import Navigation

/// A state of a session that a new session can also reach, except for the revision and the numbers in
/// the ids and events.
struct FlowStart {
    let lifecycle: LifecycleOrder
    let isStrict: Bool
    /// The user whose sign-up leads to the state; nil if it takes no sign-up.
    let username: String?
    /// The differences to add to the numbers in the session's ids, to get the numbers that the ids
    /// have in the new session.
    private let viewControllerOffset: Int
    private let navigationControllerOffset: Int

    /// Compares a window with the window of a new session.
    /// - Returns: nil if no new session can reach the state.
    init?(_ window: Window, _ app: App) {
        lifecycle = window.lifecycle
        isStrict = window.isStrict
        var new = Window.launch(app, lifecycle: window.lifecycle, isStrict: window.isStrict).window
        if case .loggedIn(let name?) = window.auth {
            guard (try? new.perform(.logIn(username: name), animated: false, in: app)) != nil
            else { return nil }
            username = name
        } else {
            username = nil
        }
        let (old, start) = (window.archive, new.archive)
        viewControllerOffset = start.lastViewController - old.lastViewController
        navigationControllerOffset = start.lastNavigationController - old.lastNavigationController
        let renumbered = old.renumbered(
            viewControllers: viewControllerOffset,
            navigationControllers: navigationControllerOffset,
            revision: start.revision, lastEvent: start.lastEvent)
        guard renumbered == start else { return nil }
    }

    /// Returns the references to view controllers and navigation controllers: by scene name, such as
    /// `@book#2`, if they are in a layer of the window, otherwise by the id that they have in the new
    /// session.
    func references(in window: Window) -> IDReferences {
        var counts: [Scene.Name: Int] = [:]
        var labels: [ViewController.ID: String] = [:]
        var holders: [NavigationController.ID: String] = [:]
        for holder in window.layers.flatMap(\.navigationControllers) {
            for viewController in holder.stack.viewControllers {
                let scene = viewController.scene.name
                let count = counts[scene, default: 0] + 1
                counts[scene] = count
                // A reader of the reference would take a `#` in the name for the sign of a count.
                guard !scene.contains("#") else { continue }
                let label = count == 1 ? "@\(scene)" : "@\(scene)#\(count)"
                labels[viewController.id] = label
                if holders[holder.id] == nil { holders[holder.id] = label }
            }
        }
        return IDReferences(
            viewController: { [labels] id in
                labels[id]
                    ?? ViewController.ID(number: id.number + viewControllerOffset).description
            },
            navigationController: { [holders] id in
                holders[id]
                    ?? NavigationController.ID(number: id.number + navigationControllerOffset)
                    .description
            })
    }
}

extension WindowArchive {
    /// Returns the archive with the offsets added to its numbers, and with another revision and last
    /// event.
    fileprivate func renumbered(
        viewControllers offset: Int, navigationControllers holderOffset: Int, revision: Int,
        lastEvent: Int
    ) -> WindowArchive {
        func entry(_ entry: Entry) -> Entry {
            Entry(
                number: entry.number + offset, scene: entry.scene, parameters: entry.parameters,
                isViewLoaded: entry.isViewLoaded, changes: entry.changes)
        }
        return WindowArchive(
            lifecycle: lifecycle, isStrict: isStrict, revision: revision, auth: auth,
            stack: stack.map(entry),
            layers: layers?.map { layer in
                Layer(
                    presentationStyle: layer.presentationStyle,
                    presenter: layer.presenter.map { $0 + offset },
                    isContainerModal: layer.isContainerModal, tabBar: layer.tabBar,
                    selectedIndex: layer.selectedIndex,
                    holders: layer.holders.map { holder in
                        Holder(
                            number: holder.number + holderOffset, isBare: holder.isBare,
                            stack: holder.stack.map(entry))
                    })
            },
            // The number refers to the only navigation controller. An archive with `layers` has
            // the constant 1 here.
            navigationController: layers == nil
                ? navigationController + holderOffset : navigationController,
            lastNavigationController: lastNavigationController + holderOffset,
            segments: segments.map { segments in
                SegmentRoots(
                    selectedIndex: segments.selectedIndex,
                    roots: segments.roots.map { $0.map { $0 + offset } },
                    kept: segments.kept.map(entry))
            },
            pendingLink: pendingLink, lastEvent: lastEvent,
            lastViewController: lastViewController + offset)
    }
}
