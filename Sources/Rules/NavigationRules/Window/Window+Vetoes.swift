/// The refusal of a gesture by the app's delegates, which navigation by code does not ask.
public struct Veto: Sendable, Equatable {
    /// The identifier of the visible scene's segue that follows the refusal, such as the presentation
    /// of a question; nil if there is none.
    public let segue: String?
}

extension Window {
    /// The veto on a pop of the visible view controller, by its back button or by a swipe from the
    /// edge; nil if its delegate lets the user pop it. Whether there is a back button does not matter.
    public var vetoOnPop: Veto? { vetoOnPop(at: activePosition) }

    private func vetoOnPop(at position: StackPosition) -> Veto? {
        let top = self[position].top
        guard !top.shouldPop else { return nil }
        return Veto(segue: position == activePosition ? top.whenRefused : nil)
    }

    /// The veto on a swipe down, which would dismiss the top layer; nil if the user may dismiss it, or
    /// if its style has no such swipe.
    public var vetoOnSwipeDown: Veto? {
        let layer = activeLayer
        guard layer.presentationStyle?.canBeSwipedDown == true, layer.isModalInPresentation else {
            return nil
        }
        return Veto(segue: topViewController.whenRefused)
    }

    /// Returns the veto on a tap on a tab of the top layer; nil if the user may select the tab, or if
    /// there is none at `index`.
    public func veto(onTab index: Int) -> Veto? {
        let layer = activeLayer
        guard let tabs = layer.tabBarScene?.tabs, tabs.indices.contains(index),
            case let root = layer.navigationControllers[index].stack.root,
            !(root.shouldSelect ?? tabs[index].shouldSelect)
        else { return nil }
        return Veto(segue: tabs[index].whenRefused)
    }

    /// Asks the top view controller at `position` whether the user may pop it.
    /// - Returns: false if it refuses, and the segue for this case was performed instead.
    /// - Throws: `.noNavigationController`, `.noBackButton`; `.popRefused` if it refuses.
    mutating func mayPop(at position: StackPosition, in app: App) throws(NavigationError) -> Bool {
        try requireNavigationController(at: position)
        guard backButton(of: self[position]) != nil else { throw .noBackButton }
        guard let veto = vetoOnPop(at: position) else { return true }
        try refuse(veto, with: .popRefused(self[position].top.id), in: app)
        return false
    }

    /// Performs the segue of the visible scene that follows a refused gesture.
    /// - Throws: `refusal` if the visible scene has no such segue whose condition holds.
    mutating func refuse(
        _ veto: Veto, with refusal: NavigationError, in app: App
    ) throws(NavigationError) {
        guard let identifier = veto.segue,
            (try? segue(identifier, of: topViewController.scene)) != nil
        else { throw refusal }
        try follow(identifier, in: app)
    }
}
