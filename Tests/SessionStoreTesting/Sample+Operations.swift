import NavigationRules
import TestSupport

extension Sample {
    private static let top = ViewController.ID(number: 7)

    /// Operations of the kinds that the first versions with a history had.
    package static let operations: [Operation] = [
        .push(.scene("books", parameters: ["author": "Ødegård", "n": ""])),
        .push(.instance(top)), .pop, .popTo(top), .popToScene("books"), .popToRoot,
        .setViewControllers([.scene("a", parameters: [:]), .instance(top)]),
        .setRootViewController(.instance(top)), .select(row: 70_000), .select(row: -1),
        .back,
        .open(.path("/a%2Fb")),
        .present(Present(scene: "a")),
        .present(
            Present(
                scene: "a", parameters: ["b": "c"], style: .popover, isModalInPresentation: true,
                from: top)),
        .dismiss(nil), .dismiss(top), .swipeDown, .selectTab(1), .tapTab(0),
        .segue("buy", parameters: ["book": "1"], from: top),
        .segue("buy", parameters: [:], from: nil),
        .tap(TapControl(title: "Buy")), .tap(TapControl(title: "", in: .button)),
        .tap(TapControl(3, in: .row)),
        .show(.scene("a", parameters: [:])), .unwind(Unwind(action: "done")),
        .unwind(Unwind(top)), .on(NavigationController.ID(number: 3), .push(.instance(top))),
        .batch([.pop, .on(NavigationController.ID(number: 1), .back), .popToRoot]), .batch([]),
        .update(top, ViewControllerChanges(), parameters: nil),
        .update(top, allChanges, parameters: ["a": "b"]),
    ]

    /// Changes of a view controller, with all members.
    package static let allChanges = ViewControllerChanges(
        title: .some(nil),
        navigationItem: NavigationItemChanges(
            title: .some("nul\0"), backButtonTitle: .some(nil), hidesBackButton: false,
            leftItems: [], leftItemsSupplementBackButton: true, rightItems: ["", "ü"]),
        hidesBottomBarWhenPushed: true, bottomBarText: .some("text"), toolbarItems: ["1"],
        isModalInPresentation: false,
        tabBarItem: TabBarItemChanges(title: .some("tab"), badge: .some(nil)))
}
