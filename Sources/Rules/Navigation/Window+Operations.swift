internal import NavigationRules

/// The operations, as UIKit names them.
extension Window {
    // MARK: Stacks

    /// Pushes a new view controller of a scene.
    /// - Throws: `scene-not-found`, `invalid-body` for wrong parameters, `login-required`,
    ///   `no-navigation-controller`, `stack-too-deep` and the other refusals of a push.
    @discardableResult
    public mutating func push(
        _ scene: String, _ parameters: [String: String] = [:]
    ) throws(Refusal) -> Change {
        try perform(Push(scene: scene, parameters: parameters))
    }

    /// Pops the visible view controller; nothing happens at the root of a stack, or without one.
    /// - Throws: `not-a-user-action` in a strict window.
    @discardableResult
    public mutating func pop() throws(Refusal) -> Change { try perform(Pop()) }

    /// Pops to the nearest view controller of a scene below the top.
    /// - Throws: `not-on-stack`, `scene-not-found` or `no-navigation-controller`.
    @discardableResult
    public mutating func pop(to scene: String) throws(Refusal) -> Change {
        try perform(PopTo(scene: scene))
    }

    /// Pops to the root of the stack; nothing happens at the root, or without a stack.
    /// - Throws: `not-a-user-action` in a strict window.
    @discardableResult
    public mutating func popToRoot() throws(Refusal) -> Change { try perform(PopToRoot()) }

    /// Replaces the stack by new view controllers of scenes without parameters, root first.
    /// - Throws: `empty-stack`, `scene-not-found` and the other refusals of a push.
    @discardableResult
    public mutating func setViewControllers(_ scenes: [String]) throws(Refusal) -> Change {
        try perform(SetViewControllers(scenes.map { .scene($0, parameters: [:]) }))
    }

    // MARK: Layers

    /// Presents a new view controller of a scene, or a container with its content, in a new layer.
    /// - Parameter style: the presentation style, such as `fullScreen`; nil for the storyboard's.
    /// - Throws: `scene-not-found`, `invalid-body` for wrong parameters or an unknown style,
    ///   `login-required`, `too-many-layers` and the other refusals of a presentation.
    @discardableResult
    public mutating func present(
        _ scene: String, _ parameters: [String: String] = [:], style: String? = nil
    ) throws(Refusal) -> Change {
        var present = Present()
        (present.scene, present.parameters) = (scene, parameters)
        if let style {
            present.presentationStyle = PresentationStyle(rawValue: style)
            guard present.presentationStyle != nil else {
                throw Refusal(invalid: "there is no presentation style \(style)")
            }
        }
        return try perform(present)
    }

    /// Dismisses the top layer; nothing happens if there is only the root layer.
    @discardableResult
    public mutating func dismiss() throws(Refusal) -> Change { try perform(Dismiss()) }

    // MARK: Segues and links

    /// Performs a segue of the visible view controller.
    /// - Throws: `segue-not-found` and the refusals of the segue's kind, such as those of `push`.
    @discardableResult
    public mutating func performSegue(
        _ identifier: String, _ parameters: [String: String]? = nil
    ) throws(Refusal) -> Change {
        var segue = PerformSegue()
        (segue.identifier, segue.parameters) = (identifier, parameters)
        return try perform(segue)
    }

    /// Unwinds to the nearest view controller with an unwind action; nothing happens without one.
    @discardableResult
    public mutating func unwind(_ action: String) throws(Refusal) -> Change {
        try perform(Unwind(action: action))
    }

    /// Opens a path such as `/books/emma`, or a URL of the app.
    /// - Throws: `link-not-found`, `malformed-link`, `foreign-link` or `login-required`.
    @discardableResult
    public mutating func open(_ link: String) throws(Refusal) -> Change {
        try perform(Open(Link(reference: link)))
    }

    /// Selects a tab as a program does, without a tap.
    /// - Parameter index: the index of the tab, from 0.
    /// - Throws: `no-tab-bar`, `tab-out-of-range` or `login-required`.
    @discardableResult
    public mutating func selectTab(_ index: Int) throws(Refusal) -> Change {
        try perform(SelectTab(index))
    }

    // MARK: What a user does

    /// Taps a control that is on the screen.
    /// - Parameters:
    ///   - title: the title of the control, such as that of a row or a tab.
    ///   - place: the place of the control; nil if no other control has the same title.
    /// - Throws: `tap-not-found`, `ambiguous-tap`, and the refusals of what the control does.
    @discardableResult
    public mutating func tap(_ title: String, in place: Place? = nil) throws(Refusal) -> Change {
        try perform(TapControl(title: title, in: place?.rules))
    }

    /// Taps the row at an index of the visible table, from 0.
    /// - Throws: `not-selectable`, `row-out-of-range`, and the refusals of what the row does.
    @discardableResult
    public mutating func selectRow(_ index: Int) throws(Refusal) -> Change {
        try perform(SelectRow(index))
    }

    /// Taps the back button.
    /// - Throws: `no-navigation-controller`, `no-back-button` or `pop-refused`.
    @discardableResult
    public mutating func back() throws(Refusal) -> Change { try perform(Back()) }

    /// Swipes from the left edge of the screen.
    /// - Parameter completed: false if the user cancels the swipe, which has events but pops
    ///   nothing.
    /// - Throws: `no-navigation-controller`, `no-back-button` or `pop-refused`.
    @discardableResult
    public mutating func swipeBack(completed: Bool = true) throws(Refusal) -> Change {
        try perform(SwipeBack(completed: completed))
    }

    /// Swipes a sheet down, which dismisses the top layer.
    /// - Throws: `not-dismissible`.
    @discardableResult
    public mutating func swipeDown() throws(Refusal) -> Change { try perform(SwipeDown()) }

    /// Logs a user in. The service would check a password first; here every user exists.
    /// - Throws: `already-logged-in`, `no-login`, or `not-a-user-action` in a strict window that
    ///   shows no log-in form.
    @discardableResult
    public mutating func logIn(_ user: String) throws(Refusal) -> Change {
        try perform(LogIn(username: user))
    }

    /// Logs the user out; nothing happens if nobody is logged in.
    /// - Throws: `no-login`.
    @discardableResult
    public mutating func logOut() throws(Refusal) -> Change { try perform(LogOut()) }

    /// Sets a flag of the storyboard.
    /// - Throws: `flag-not-found`, or `not-a-user-action` in a strict window.
    @discardableResult
    public mutating func setFlag(_ name: String, _ value: Bool) throws(Refusal) -> Change {
        try perform(SetFlags([name: value]))
    }
}

/// The place of a control on the screen.
public enum Place: String, Sendable {
    /// A bar button item on the left of the navigation bar.
    case leftItem
    /// The back button of the navigation bar.
    case backButton
    /// A segment of the control in the navigation bar.
    case segment
    /// A bar button item on the right of the navigation bar.
    case rightItem
    /// A row of the table.
    case row
    /// The accessory button of a row; its title is the row's.
    case accessory
    /// A button below the navigation bar.
    case button
    /// An item of the toolbar.
    case toolbarItem
    /// A tab of the tab bar.
    case tab

    var rules: Tap.Place? { Tap.Place(rawValue: rawValue) }
}
