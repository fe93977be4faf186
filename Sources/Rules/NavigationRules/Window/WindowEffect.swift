/// The difference that one change has made to the stored state of a window. `StoredWindow.apply`
/// makes the same difference again, without the rules of the operations, the storyboard or the
/// data, all of which may have changed since.
///
/// The size of an effect depends on the view controllers that the change has touched, not on the
/// depth of the stacks.
public struct WindowEffect: Sendable, Equatable {
    /// The stack of a navigation controller after the change. It consists of the first `kept`
    /// elements of the stack before the change, the elements of `added`, and the last `keptAbove`
    /// elements of the stack before the change.
    public struct Stack: Sendable, Equatable {
        /// The number in the id of the navigation controller. A navigation controller that did not
        /// exist before the change had an empty stack.
        public let number: Int
        public let isBare: Bool
        public let kept: Int
        public let added: [StoredWindow.Entry]
        public let keptAbove: Int

        public init(
            number: Int, isBare: Bool = false, kept: Int, added: [StoredWindow.Entry],
            keptAbove: Int = 0
        ) {
            self.number = number
            self.isBare = isBare
            self.kept = kept
            self.added = added
            self.keptAbove = keptAbove
        }
    }

    /// A layer after the change.
    public typealias Layer = LayerState<Stack>

    public enum Content: Sendable, Equatable {
        /// The stacks that have changed. All layers and all other stacks are as before.
        case stacks([Stack])
        /// All layers after the change.
        case layers([Layer])
    }

    public let content: Content
    // The values after the change. Each is nil if the change has left the value as it was.
    public let auth: Auth?
    public let segments: StoredWindow.SegmentRoots??
    public let pending: PendingAction??
    /// All flags after the change. Flags that the storyboard lost or gained since the window was
    /// stored are thus stored with the next change.
    public let flags: [String: Bool]
    public let lastNavigationController: Int?
    public let lastViewController: Int?
    public let lastEvent: Int?

    public init(
        content: Content, auth: Auth? = nil, segments: StoredWindow.SegmentRoots?? = nil,
        pending: PendingAction?? = nil, flags: [String: Bool] = [:],
        lastNavigationController: Int? = nil,
        lastViewController: Int? = nil, lastEvent: Int? = nil
    ) {
        self.content = content
        self.auth = auth
        self.segments = segments
        self.pending = pending
        self.flags = flags
        self.lastNavigationController = lastNavigationController
        self.lastViewController = lastViewController
        self.lastEvent = lastEvent
    }
}

// MARK: - Comparison of two windows

extension WindowEffect {
    /// Compares the windows before and after a change.
    public init(from old: Window, to new: Window) {
        let areSegmentsSame =
            switch (old.segments, new.segments) {
            case (nil, nil): true
            case (let one?, let other?): one.isStored(like: other)
            default: false
            }
        self.init(
            content: Self.content(from: old, to: new), auth: old.auth == new.auth ? nil : new.auth,
            segments: areSegmentsSame ? nil : .some(new.segments?.stored),
            pending: old.pending == new.pending ? nil : .some(new.pending),
            flags: new.flags.isEmpty ? [:] : new.flags.values,
            lastNavigationController: Self.changed(
                old.lastNavigationController, new.lastNavigationController),
            lastViewController: Self.changed(old.lastViewController, new.lastViewController),
            lastEvent: Self.changed(old.lastEvent, new.lastEvent))
    }

    private static func changed(_ old: Int, _ new: Int) -> Int? { old == new ? nil : new }

    private static func content(from old: Window, to new: Window) -> Content {
        if case .single(let stack) = new.content, case .single(let oldStack) = old.content,
            new.rootNavigationController == old.rootNavigationController
        {
            let changed = Stack(stack, new.rootNavigationController, isBare: false, from: oldStack)
            return .stacks(changed.isSame(as: oldStack) ? [] : [changed])
        }
        let (layers, oldLayers) = (new.layers, old.layers)
        let haveSameFrame =
            layers.count == oldLayers.count
            && zip(layers, oldLayers).allSatisfy { $0.hasSameFrame(as: $1) }
            && new.isSingleStack == old.isSingleStack
        guard haveSameFrame else {
            let oldStacks = oldLayers.flatMap(\.navigationControllers)
            return .layers(layers.map { Layer($0, from: oldStacks) })
        }
        var changed: [Stack] = []
        for (layer, oldLayer) in zip(layers, oldLayers) {
            for (holder, old) in zip(layer.navigationControllers, oldLayer.navigationControllers) {
                let stack = Stack(holder.stack, holder.id, isBare: holder.isBare, from: old.stack)
                if !stack.isSame(as: old.stack) { changed.append(stack) }
            }
        }
        return .stacks(changed)
    }
}

extension WindowEffect.Stack {
    /// Compares the stack of a navigation controller with its stack before the change.
    fileprivate init(
        _ new: NavigationStack, _ id: NavigationController.ID, isBare: Bool,
        from old: NavigationStack?
    ) {
        let (new, old) = (new.viewControllers, old?.viewControllers ?? [])
        let common = min(new.count, old.count)
        var kept = 0
        while kept < common, new[kept].isStored(like: old[kept]) { kept += 1 }
        var keptAbove = 0
        while keptAbove < common - kept,
            new[new.count - 1 - keptAbove].isStored(like: old[old.count - 1 - keptAbove])
        {
            keptAbove += 1
        }
        self.init(
            number: id.number, isBare: isBare, kept: kept,
            added: new[kept..<(new.count - keptAbove)].map(\.stored), keptAbove: keptAbove)
    }

    fileprivate func isSame(as old: NavigationStack) -> Bool {
        added.isEmpty && kept + keptAbove == old.viewControllers.count
    }
}

extension WindowEffect.Layer {
    fileprivate init(_ layer: Layer, from old: [NavigationController]) {
        self = layer.state { holder in
            WindowEffect.Stack(
                holder.stack, holder.id, isBare: holder.isBare,
                from: old.first { $0.id == holder.id }?.stack)
        }
    }
}

extension Layer {
    /// Whether two layers differ at most in the view controllers on their stacks.
    fileprivate func hasSameFrame(as other: Layer) -> Bool {
        presentationStyle == other.presentationStyle
            && presentingViewController == other.presentingViewController
            && isContainerModal == other.isContainerModal && tabBarScene === other.tabBarScene
            && selectedIndex == other.selectedIndex
            && navigationControllers.count == other.navigationControllers.count
            && zip(navigationControllers, other.navigationControllers).allSatisfy {
                $0.id == $1.id && $0.isBare == $1.isBare
            }
    }
}

extension Segments {
    fileprivate func isStored(like other: Segments) -> Bool {
        selectedIndex == other.selectedIndex && roots == other.roots
            && kept.count == other.kept.count
            && zip(kept, other.kept).allSatisfy { $0.isStored(like: $1) }
    }
}

// MARK: - Application to a stored window

extension StoredWindow {
    /// Makes the difference that a change has made to the stored window.
    /// - Parameter revision: the revision after the change.
    /// - Returns: false if the effect is not of a change of this window. The window then has no
    ///   meaning any longer. After the last effect, `isSound` tells whether it is consistent.
    public mutating func apply(_ effect: WindowEffect, revision: Int) -> Bool {
        switch effect.content {
        case .stacks(let stacks):
            for stack in stacks {
                guard apply(stack) else { return false }
            }
        case .layers(let layers):
            guard apply(layers) else { return false }
        }
        self.revision = revision
        if let auth = effect.auth { self.auth = auth }
        if let segments = effect.segments { self.segments = segments }
        if let pending = effect.pending { self.pending = pending }
        flags = effect.flags
        if let number = effect.lastNavigationController { lastNavigationController = number }
        if let number = effect.lastViewController { lastViewController = number }
        if let number = effect.lastEvent { lastEvent = number }
        return true
    }

    private mutating func apply(_ change: WindowEffect.Stack) -> Bool {
        guard var layers else {
            return change.number == navigationController && change.apply(to: &stack)
        }
        // The array must have no other reference while a stack in it changes.
        self.layers = nil
        defer { self.layers = layers }
        for layer in layers.indices {
            let holder = layers[layer].stacks.firstIndex { $0.number == change.number }
            if let holder { return change.apply(to: &layers[layer].stacks[holder].stack) }
        }
        return false
    }

    private mutating func apply(_ changes: [WindowEffect.Layer]) -> Bool {
        let old =
            layers.map { $0.flatMap(\.stacks) }
            ?? [Holder(number: navigationController, isBare: false, stack: stack)]
        var new: [Layer] = []
        for change in changes {
            var holders: [Holder] = []
            for change in change.stacks {
                var stack = old.first { $0.number == change.number }?.stack ?? []
                guard change.apply(to: &stack) else { return false }
                holders.append(Holder(number: change.number, isBare: change.isBare, stack: stack))
            }
            guard holders.indices.contains(change.selectedIndex) else { return false }
            new.append(
                Layer(
                    presentationStyle: change.presentationStyle, presenter: change.presenter,
                    isContainerModal: change.isContainerModal, tabBar: change.tabBar,
                    tabScenes: change.tabScenes, selectedIndex: change.selectedIndex,
                    stacks: holders))
        }
        guard let first = new.first else { return false }
        // This is the normal form of `Window.normalize`.
        if new.count == 1, first.tabBar == nil, !first.stacks[0].isBare {
            (layers, stack) = (nil, first.stacks[0].stack)
            navigationController = first.stacks[0].number
        } else {
            (layers, stack, navigationController) = (new, [], 1)
        }
        return true
    }
}

extension WindowEffect.Stack {
    /// - Returns: false if the stack has fewer elements than the change has kept.
    fileprivate func apply(to stack: inout [StoredWindow.Entry]) -> Bool {
        guard kept >= 0, keptAbove >= 0, kept <= stack.count, keptAbove <= stack.count - kept else {
            return false
        }
        stack.replaceSubrange(kept..<(stack.count - keptAbove), with: added)
        return !stack.isEmpty
    }
}
