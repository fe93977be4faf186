import NavigationRules

/// Operations in the short form in which tests name them.
extension NavigationRules.Operation {
    public static let pop = Self(Pop())
    public static let popToRoot = Self(PopToRoot())
    public static let back = Self(Back())
    public static let swipeDown = Self(SwipeDown())
    public static func swipeBack(completed: Bool) -> Self { Self(SwipeBack(completed: completed)) }
    public static let logOut = Self(LogOut())

    public static func push(_ target: Target) -> Self { Self(Push(target)) }
    public static func popTo(_ id: ViewController.ID) -> Self { Self(PopTo(id)) }
    public static func popToScene(_ scene: Scene.Name) -> Self { Self(PopTo(scene: scene)) }
    public static func setViewControllers(_ targets: [Target]) -> Self {
        Self(SetViewControllers(targets))
    }
    public static func setRootViewController(_ target: Target) -> Self {
        Self(SetRootViewController(target))
    }
    public static func select(row: Int) -> Self { Self(SelectRow(row)) }
    public static func selectSegment(_ index: Int) -> Self { Self(SelectSegment(index)) }
    public static func open(_ link: Link) -> Self { Self(Open(link)) }
    public static func present(_ presentation: Present) -> Self { Self(presentation) }
    public static func dismiss(_ id: ViewController.ID?) -> Self { Self(Dismiss(id)) }
    public static func selectTab(_ index: Int) -> Self { Self(SelectTab(index)) }
    public static func tapTab(_ index: Int) -> Self { Self(TapTab(index)) }
    public static func segue(
        _ identifier: String, parameters: [String: String], from id: ViewController.ID?
    ) -> Self {
        Self(PerformSegue(identifier, parameters: parameters.isEmpty ? nil : parameters, from: id))
    }
    public static func tap(_ tap: TapControl) -> Self { Self(tap) }
    public static func show(_ target: Target) -> Self { Self(Show(target)) }
    public static func unwind(_ unwind: Unwind) -> Self { Self(unwind) }
    public static func batch(_ operations: [Self]) -> Self { Self(Batch(operations)) }
    public static func setFlags(_ flags: [String: Bool]) -> Self { Self(SetFlags(flags)) }
    public static func logIn(username: String) -> Self { Self(LogIn(username: username)) }

    public static func update(
        _ id: ViewController.ID, _ changes: ViewControllerChanges,
        parameters: [String: String]? = nil
    ) -> Self {
        Self(Patch(id, changes, parameters: parameters))
    }

    /// The operation on the stack of another navigation controller.
    public static func on(_ id: NavigationController.ID, _ operation: Self) -> Self {
        (operation.base as? any StackOperation).map { Self($0.on(id)) } ?? operation
    }
}
