/// Taps a tab in the tab bar, as the user does.
public struct TapTab: NavigationOperation {
    public static let name = "tap-tab"
    public static let summary =
        "Taps a tab in the tab bar. A tap on the selected tab pops its stack to the root."
    public static let shortForm = ShortForm.title(of: .tab, member: "index")
    public static let refusals: [NavigationError.Code] =
        [
            .noTabBar, .tabOutOfRange, .tabBarHidden, .inMoreList, .selectionRefused,
        ] + .whenRefused

    public var index = 0

    public init() {}

    public mutating func visitMembers(_ visitor: inout some MemberVisitor & ~Copyable) {
        visitor.member("index", required: .integer, &index, "The index of the tab, counted from 0.")
    }

    public init(_ index: Int) { self.index = index }

    public func perform(on window: inout Window, in app: App) throws(NavigationError) {
        let layer = try window.tabLayer(index)
        guard layer == window.layers.count - 1, window.tabBar?.isHidden == false else {
            throw .tabBarHidden
        }
        guard !window.isStrict || index < TabBar.maximumItems else { throw .inMoreList(index) }
        let logsGesture = app.storyboard.callbacks.contains(.tabs)
        if let veto = window.veto(onTab: index) {
            let refused = window.layers[layer].navigationControllers[index].stack.top
            try window.refuse(veto, with: .selectionRefused(index), in: app)
            if logsGesture { window.gestures.append(.refusedTab(refused)) }
            return
        }
        if window.layers[layer].selectedIndex == index {
            window.pop(at: StackPosition(layer: layer, controller: index), to: 0)
        } else {
            window.withLayers { $0[layer].selectedIndex = index }
        }
        if logsGesture { window.gestures.append(.tapTab(window.topViewController)) }
    }

    public func isUserAction(in window: Window, _ app: App) -> Bool { true }

    public func pendingAction(in window: Window, animated: Bool?, _ app: App) -> PendingAction? {
        PendingAction(Operation(self), animated: animated)
    }
}
