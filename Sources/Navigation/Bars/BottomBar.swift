/// The persistent bar below the stack: decorated at the top's `viewWillAppear`, cleared at its
/// `viewWillDisappear`, and therefore always what the present top says.
public struct BottomBar: Sendable, Equatable {
    public let text: String?
    public let isHidden: Bool
}

extension ViewController {
    /// What the bar is while this view controller is on top.
    public var bottomBar: BottomBar {
        BottomBar(text: bottomBarText, isHidden: hidesBottomBarWhenPushed)
    }
}

extension Window {
    public var bottomBar: BottomBar { topViewController.bottomBar }
}
