/// The vetoes of an app: its delegates refuse a gesture of the user, but no navigation by code.
extension Window {
    /// Asks the top view controller at `position` whether the user may pop it.
    /// - Returns: false if it refuses, and the segue for this case was performed instead.
    /// - Throws: `.noNavigationController`, `.noBackButton`; `.popRefused` if it refuses.
    mutating func mayPop(at position: StackPosition, in app: App) throws(NavigationError) -> Bool {
        try requireNavigationController(at: position)
        guard backButton(of: self[position]) != nil else { throw .noBackButton }
        let top = self[position].top
        guard !top.shouldPop else { return true }
        try refuse(
            with: .popRefused(top.id), segue: position == activePosition ? top.whenRefused : nil,
            in: app)
        return false
    }

    /// Asks whether the user may select the tab at `index` of the top layer.
    /// - Returns: false if the app refuses, and the segue for this case was performed instead.
    /// - Throws: `.selectionRefused` if the app refuses.
    mutating func maySelectTab(_ index: Int, in app: App) throws(NavigationError) -> Bool {
        guard refusesSelection(ofTab: index) else { return true }
        try refuse(
            with: .selectionRefused(index), segue: activeLayer.tabBarScene?.tabs[index].whenRefused,
            in: app)
        return false
    }

    /// Whether the app refuses to select the tab at `index` of the top layer, which has tabs.
    public func refusesSelection(ofTab index: Int) -> Bool {
        let layer = activeLayer
        guard let tab = layer.tabBarScene?.tabs[index] else { return false }
        return !(layer.navigationControllers[index].stack.root.shouldSelect ?? tab.shouldSelect)
    }

    /// Performs the segue of the visible scene that follows a refused gesture, such as the
    /// presentation of a question.
    /// - Parameter identifier: the identifier of the segue; nil if there is none.
    /// - Throws: `refusal` if the visible scene has no such segue whose condition holds.
    mutating func refuse(
        with refusal: NavigationError, segue identifier: String?, in app: App
    ) throws(NavigationError) {
        guard let identifier,
            (try? segue(identifier, of: topViewController.scene)) != nil
        else { throw refusal }
        try performSegue(identifier, [:], from: nil, in: app)
    }
}
