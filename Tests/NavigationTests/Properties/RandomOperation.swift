import NavigationRules
import TestSupport

/// Makes an operation from a seed and the current window. Most operations can succeed; some must be
/// refused. The same seed is also useful for the different windows of a shrunk run.
struct RandomOperation {
    private var random: SeededGenerator
    private let window: Window
    /// The ids of all view controllers so far, including those that no longer exist.
    private let seen: [ViewController.ID]
    private let app: App

    static func make(
        seed: UInt64, for window: Window, seen: [ViewController.ID], in app: App
    ) -> (operation: Operation, animated: Bool) {
        var generator = RandomOperation(
            random: SeededGenerator(seed: seed), window: window, seen: seen, app: app)
        return (generator.operation(), Bool.random(using: &generator.random))
    }

    private mutating func operation(inBatch: Bool = false) -> Operation {
        if hasContainers, number(in: 0..<5) < 3 { return containerOperation() }
        return switch Int.random(in: 0..<100, using: &random) {
        case 0..<30: .push(target())
        case 30..<40: .pop
        case 40..<45: .popTo(id())
        case 45..<50: .popToScene(sceneName())
        case 50..<53: .popToRoot
        case 53..<60: .setViewControllers(targets())
        case 60..<64: .setRootViewController(target())
        case 64..<69: .select(row: number(in: -1..<4))
        case 69..<76: .selectSegment(number(in: -1..<4))
        case 76..<80: .back
        case 80..<85: .open(link())
        case 85..<88: .update(id(), changes(), parameters: parameters())
        case 88..<92: inBatch ? .pop : batch()
        case 92..<98: .logIn(username: "ada")
        default: .logOut
        }
    }

    private var hasContainers: Bool { app.storyboard.name == "Containers" }

    private mutating func containerOperation() -> Operation {
        switch number(in: 0..<100) {
        case 0..<16: .present(presentation())
        case 16..<22: .dismiss(number(in: 0..<2) == 0 ? nil : id())
        case 22..<25: .swipeDown
        case 25..<28: .swipeBack(completed: Bool.random(using: &random))
        case 28..<38: .selectTab(number(in: -1..<5))
        case 38..<46: .tapTab(number(in: 0..<5))
        case 46..<60:
            .segue(
                [
                    "next", "sheet", "cover", "home", "push", "item", "magic", "join", "inline",
                    "none", "close", "branch",
                ]
                .randomElement(using: &random) ?? "", parameters: [:],
                from: number(in: 0..<4) == 0 ? id() : nil)
        case 60..<68: .show(target())
        case 68..<76:
            .unwind(
                number(in: 0..<3) == 0
                    ? Unwind(id())
                    : Unwind(
                        action: ["toA", "toB", "toAny", "toNone"].randomElement(using: &random)
                            ?? ""))
        case 76..<84: .tap(tap())
        case 84..<88:
            .setFlags([
                number(in: 0..<9) == 0 ? "opened" : "open": Bool.random(using: &random)
            ])
        default: .on(navigationController(), named())
        }
    }

    private mutating func presentation() -> Present {
        let name =
            ["aNav", "bNav", "menuNav", "itemNav", "tabs", "empty", "cover", "note"]
            .randomElement(using: &random) ?? ""
        return Present(
            scene: number(in: 0..<3) == 0 ? sceneName() : name,
            parameters: ["itemNav", "note"].contains(name) ? ["n": "1"] : [:],
            style: number(in: 0..<3) == 0
                ? PresentationStyle.allCases.randomElement(using: &random) : nil,
            isModalInPresentation: number(in: 0..<4) == 0 ? Bool.random(using: &random) : nil,
            from: number(in: 0..<5) == 0 ? id() : nil)
    }

    /// A tap that is offered, and sometimes one that is not.
    private mutating func tap() -> TapControl {
        guard number(in: 0..<8) > 0, let tap = window.taps(in: app).randomElement(using: &random)
        else { return TapControl(number(in: 0..<3), in: .row) }
        return TapControl(tap)
    }

    private mutating func navigationController() -> NavigationController.ID {
        let all = window.layers.flatMap(\.navigationControllers).map(\.id)
        guard number(in: 0..<10) > 0, let id = all.randomElement(using: &random) else {
            return NavigationController.ID(number: number(in: 1..<100))
        }
        return id
    }

    /// An operation that can name its navigation controller.
    private mutating func named() -> Operation {
        switch number(in: 0..<10) {
        case 0..<3: .push(target())
        case 3, 4: .pop
        case 5: .popTo(id())
        case 6: .popToRoot
        case 7: .setViewControllers(targets())
        case 8: .select(row: number(in: 0..<3))
        default: .setRootViewController(target())
        }
    }

    private mutating func batch() -> Operation {
        .batch((0..<number(in: 0..<5)).map { _ in operation(inBatch: true) })
    }

    private mutating func target() -> Target {
        number(in: 0..<4) == 0 ? .instance(id()) : .scene(sceneName(), parameters: parameters())
    }

    private mutating func targets() -> [Target] {
        (0..<number(in: 0..<5)).map { _ in
            Bool.random(using: &random) ? .instance(liveID()) : target()
        }
    }

    private mutating func sceneName() -> Scene.Name {
        // Most of the names are scenes that can be shown at any root.
        if hasContainers {
            return ["A", "B", "table", "menu", "item", "full", "cover", "alone", "SignUp"]
                .randomElement(using: &random) ?? ""
        }
        let names = ["B", "C", "short", "hidden", "item", "S0", "S1", "table", "full"]
        let odd = ["Login", "SignUp", "tabs", "nowhere"]
        return (number(in: 0..<8) == 0 ? odd : names).randomElement(using: &random) ?? "B"
    }

    private mutating func parameters() -> [String: String] {
        switch number(in: 0..<6) {
        case 0, 1, 2: [:]
        case 3: ["n": String(number(in: 0..<3))]
        case 4 where hasContainers:
            ["n": String(number(in: 0..<3)), "q": ["", "/?"][number(in: 0..<2)]]
        case 4: ["n": String(number(in: 0..<3))]
        default: ["unknown": "x"]
        }
    }

    private mutating func liveID() -> ViewController.ID {
        if hasContainers, number(in: 0..<2) == 0 {
            let all = window.layers.flatMap(\.navigationControllers).flatMap(
                \.stack.viewControllers)
            return (all.randomElement(using: &random) ?? window.topViewController).id
        }
        return (window.viewControllers.randomElement(using: &random) ?? window.topViewController).id
    }

    private mutating func id() -> ViewController.ID {
        switch number(in: 0..<8) {
        case 0..<5: liveID()
        case 5, 6: seen.randomElement(using: &random) ?? liveID()
        default: ViewController.ID(number: 1_000_000)
        }
    }

    private mutating func link() -> Link {
        let links = [["s1"], ["s1", "x"], ["s1", "x", "1"], ["login", "up"], ["nowhere"]]
        let deeper = [
            ["a"], ["b"], ["a", "1"], ["a", "2", "note"], ["cover"], ["cover", "page"], ["alone"],
            ["bee", ""], ["a", "1?q=%2F"],
        ]
        let segments = (hasContainers ? deeper : links).randomElement(using: &random) ?? []
        return .path("/" + segments.joined(separator: "/"))
    }

    private mutating func changes() -> ViewControllerChanges {
        ViewControllerChanges(
            title: number(in: 0..<2) == 0 ? nil : .some(number(in: 0..<2) == 0 ? nil : "T"),
            navigationItem: NavigationItemChanges(
                backButtonTitle: number(in: 0..<2) == 0 ? nil : .some(""),
                hidesBackButton: number(in: 0..<2) == 0 ? nil : Bool.random(using: &random),
                leftItems: number(in: 0..<2) == 0 ? nil : ["Menu"]),
            hidesBottomBarWhenPushed: number(in: 0..<2) == 0 ? nil : Bool.random(using: &random),
            bottomBarText: number(in: 0..<2) == 0 ? nil : .some(number(in: 0..<2) == 0 ? nil : "T"),
            toolbarItems: number(in: 0..<2) == 0 ? nil : number(in: 0..<2) == 0 ? [] : ["Edit"],
            isModalInPresentation: number(in: 0..<3) == 0 ? Bool.random(using: &random) : nil,
            tabBarItem: TabBarItemChanges(badge: number(in: 0..<3) == 0 ? .some("1") : nil))
    }

    /// Returns the parameters of the scene `item`, no parameters as other scenes have, or nil.
    private mutating func parameters() -> [String: String]? {
        switch number(in: 0..<4) {
        case 0: ["n": String(number(in: 0..<3))]
        case 1: [:]
        default: nil
        }
    }

    private mutating func number(in range: Range<Int>) -> Int {
        Int.random(in: range, using: &random)
    }
}
