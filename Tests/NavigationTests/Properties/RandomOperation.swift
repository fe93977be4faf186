import Navigation
import TestSupport

/// Makes an operation from a seed and the current window. Most operations can succeed; some must be
/// refused. The same seed is also useful for the different windows of a shrunk run.
struct RandomOperation {
    private var random: SeededGenerator
    private let window: Window
    /// The ids of all view controllers so far, including those that no longer exist.
    private let seen: [ViewController.ID]

    static func make(
        seed: UInt64, for window: Window, seen: [ViewController.ID]
    ) -> (operation: Operation, animated: Bool) {
        var generator = RandomOperation(
            random: SeededGenerator(seed: seed), window: window, seen: seen)
        return (generator.operation(), Bool.random(using: &generator.random))
    }

    private mutating func operation(inBatch: Bool = false) -> Operation {
        switch Int.random(in: 0..<100, using: &random) {
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
        let names = ["B", "C", "short", "hidden", "item", "S0", "S1", "table", "full"]
        let odd = ["Login", "SignUp", "tabs", "nowhere"]
        return (number(in: 0..<8) == 0 ? odd : names).randomElement(using: &random) ?? "B"
    }

    private mutating func parameters() -> [String: String] {
        switch number(in: 0..<6) {
        case 0, 1, 2: [:]
        case 3, 4: ["n": String(number(in: 0..<3))]
        default: ["unknown": "x"]
        }
    }

    private mutating func liveID() -> ViewController.ID {
        (window.viewControllers.randomElement(using: &random) ?? window.topViewController).id
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
        let segments = links.randomElement(using: &random) ?? []
        return Link(path: "/" + segments.joined(separator: "/"), segments: segments)
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
            toolbarItems: number(in: 0..<2) == 0 ? nil : number(in: 0..<2) == 0 ? [] : ["Edit"])
    }

    /// Those that the scene `item` has, or none, which other scenes have.
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
