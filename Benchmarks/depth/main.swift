// The cost of operations on a window of many stacks, as ratios to a window with one stack of as many
// view controllers: 600 in each of 6 tabs under 19 layers, and 3,600. Each is measured in its own
// fastest run, so that other programs on the machine matter little.
//
//     WAYPOST_BENCHMARK=1 swift run -c release --scratch-path .build-bench/depth depth

import NavigationRules
import TestSupport

let blank = Target.scene("B", parameters: [:])

func makeApp(initialScene: String) throws -> App {
    var limits = SizeLimits()
    limits.stackDepth = 4000
    let draft = StoryboardDraft(
        name: "Depth", initialScene: initialScene,
        scenes: [
            Scene(name: "B", kind: .blank, unwindActions: ["toB"]),
            Scene(name: "nav", kind: .navigation, root: "B"),
            Scene(
                name: "tabs", kind: .tabBar,
                tabs: (0..<6).map { _ in Scene.Tab(title: nil, scene: "nav") }),
        ])
    let storyboard = try Storyboard(draft, dataSource: NoData())
    return App(storyboard: storyboard, dataSource: NoData(), limits: limits)
}

let one = try makeApp(initialScene: "B")
let many = try makeApp(initialScene: "tabs")

func performing(_ operation: Operation, on window: Window, in app: App) throws -> Window {
    try window.performing(operation, animated: false, in: app).window
}

let deep = try performing(
    .setViewControllers(Array(repeating: blank, count: 3600)), on: Window.launch(one).window,
    in: one)
var wide = Window.launch(many).window
for holder in wide.layers[0].navigationControllers {
    let stack = Operation.setViewControllers(Array(repeating: blank, count: 600))
    wide = try performing(.on(holder.id, stack), on: wide, in: many)
}
var layered = wide
for _ in 1..<Layer.maximum {
    layered = try performing(.present(Present(scene: "nav")), on: layered, in: many)
}

/// Returns the duration of the fastest of some runs.
func cost(_ operation: Operation, on window: Window, in app: App) throws -> Duration {
    var fastest = Duration.seconds(60)
    for _ in 0..<300 {
        fastest = min(
            fastest,
            try ContinuousClock().measure {
                _ = try performing(operation, on: window, in: app)
            })
    }
    return fastest
}

let deepStack = deep.layers[0].navigationControllers[0]
let last = layered.layers[0].navigationControllers[5]
let operations: [(name: String, one: Operation, many: Operation)] = [
    ("push", .push(blank), .on(last.id, .push(blank))),
    ("pop", .pop, .on(last.id, .pop)),
    (
        "pop to the middle", .popTo(deepStack.stack.viewControllers[1800].id),
        .on(last.id, .popTo(last.stack.viewControllers[300].id))
    ),
    ("pop to the root", .popToRoot, .on(last.id, .popToRoot)),
    (
        "set 600 view controllers",
        .setViewControllers(Array(repeating: blank, count: 600)),
        .on(last.id, .setViewControllers(Array(repeating: blank, count: 600)))
    ),
    (
        "unwind to the root", .unwind(Unwind(deepStack.stack.viewControllers[0].id)),
        .unwind(Unwind(last.stack.viewControllers[0].id))
    ),
    ("select a tab; set root in one stack", .setRootViewController(blank), .selectTab(5)),
    (
        "dismiss all layers; pop to the root in one stack", .popToRoot,
        .dismiss(wide.layers[0].navigationControllers[0].stack.viewControllers.last?.id)
    ),
]
print("| operation | one stack of 3,600 | 6 × 600 under 19 layers | ratio |")
print("| --- | ---: | ---: | ---: |")
for operation in operations {
    let alone = try cost(operation.one, on: deep, in: one)
    let amongMany = try cost(operation.many, on: layered, in: many)
    let microseconds = [alone, amongMany].map { "\(Int($0 / .microseconds(1))) µs" }
    let percent = Int(amongMany / alone * 100)
    print("| \(operation.name) | \(microseconds[0]) | \(microseconds[1]) | \(percent) % |")
}
