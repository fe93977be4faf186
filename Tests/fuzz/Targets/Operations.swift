import JSON
import NavigationRules
import WaypostCore

@testable import AppDefinition
@testable import Sessions

/// Operations that happen to a window, one for each few bytes, with restarts in between. The log of
/// their effects leads to the same window, and has the same events.
func fuzzOperations(_ bytes: [UInt8]) {
    var bytes = OperationBytes(bytes)
    var app = fuzzApps[0]
    var (window, events) = Window.launch(app)
    var log = encoded([.state(state(of: window)), .events(events)])
    while let code = bytes.next() {
        let before = window
        if code == 255 {
            app = fuzzApps[bytes.number(below: fuzzApps.count)]
            let displayed: [LifecycleEvent]
            (window, displayed) = restarted(window, in: app)
            precondition(window.lastEvent == before.lastEvent + displayed.count)
            guard !displayed.isEmpty else { continue }
            events += displayed
            log += encoded([.events(displayed), .state(state(of: window))])
            continue
        }
        let operation = bytes.operation(code, window)
        guard let outcome = try? window.perform(operation, animated: code & 1 == 0, in: app) else {
            precondition(window == before)
            continue
        }
        precondition(window.revision == before.revision + (outcome.changed ? 1 : 0))
        precondition(outcome.changed || outcome.events.isEmpty && outcome.popped.isEmpty)
        let ids = window.layers.flatMap(\.navigationControllers)
            .flatMap(\.stack.viewControllers).map(\.id)
        precondition(Set(ids).count == ids.count && !window.viewControllers.isEmpty)
        _ = window.taps(in: app)
        precondition(outcome.events.first.map { $0.seq == before.lastEvent + 1 } ?? true)
        events += outcome.events
        guard outcome.changed else { continue }
        let entry = LogEntry(
            revision: window.revision, time: Timestamp(milliseconds: 0), action: .logOut,
            effect: WindowEffect(from: before, to: window), transition: outcome.transition,
            events: outcome.events)
        log += encoded([.entry(entry)])
    }
    precondition(restarted(window, in: app).window == window)
    guard let newest = try? LogState.newest(in: [log]).state,
        let page = try? EventPage(rows: [log], oldest: 1, after: 0, limit: .max)
    else { fatalError("a log that was written cannot be read") }
    precondition(newest.window == window.stored)
    precondition(page.events == events)
}

private func state(of window: Window) -> LogState {
    LogState(
        window: window.stored, expiresAt: Timestamp(milliseconds: 0), credential: nil,
        credentialRefusal: nil)
}

/// The window as a store has it, read again, and the events of a fresh root's first display.
private func restarted(
    _ window: Window, in app: App
) -> (window: Window, events: [LifecycleEvent]) {
    var writer = JSONWriter()
    writer.window(window.stored)
    guard let json = try? JSONValue(parsing: writer.bytes, maximumDepth: 16),
        let stored = StoredWindow(json, revision: window.revision)
    else { fatalError("a window that was written cannot be read") }
    precondition(stored == window.stored)
    let (restored, events) = Window.restore(stored, in: app)
    return (restored, events ?? [])
}

private struct OperationBytes {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes.prefix(600) }

    mutating func next() -> UInt8? { rest.popFirst() }

    mutating func number(below bound: Int) -> Int { Int(next() ?? 0) % bound }

    mutating func operation(
        _ code: UInt8, _ window: Window, isInBatch: Bool = false
    ) -> Operation {
        switch code >> 1 % 32 {
        case 0, 1: .push(target(window))
        case 2: .pop
        case 3: .popTo(id(window))
        case 4: .popToScene(scene())
        case 5: .popToRoot
        case 6: .setViewControllers((0..<number(below: 5)).map { _ in target(window) })
        case 7: .setRootViewController(target(window))
        case 8: .selectSegment(number(below: 4) - 1)
        case 9: .back
        case 10: .open(link())
        case 11: .update(id(window), changes(), parameters: parameters())
        case 12: .logIn(username: "ada")
        case 13: .logOut
        case 14: .select(row: number(below: 256) - 128)
        case 15: .present(presentation(window))
        case 16: .dismiss(number(below: 2) == 0 ? nil : id(window))
        case 17: .swipeDown
        case 18: .selectTab(number(below: 5) - 1)
        case 19: .tapTab(number(below: 4))
        case 20, 21:
            .segue(segue(), parameters: [:], from: number(below: 2) == 0 ? nil : id(window))
        case 22: .show(target(window))
        case 23: .unwind(Unwind(action: ["home", "any", "none"][number(below: 3)]))
        case 24: .unwind(Unwind(id(window)))
        case 25: .tap(TapControl(number(below: 4), in: Tap.Place.allCases[number(below: 8)]))
        case 26: .tap(TapControl(title: ["a", "Go", "Back", ""][number(below: 4)]))
        case 27: .on(navigationController(), .push(target(window)))
        case 28: .on(navigationController(), [.pop, .popToRoot, .back][number(below: 3)])
        case 29: Operation(SwipeBack(completed: number(below: 2) == 0))
        case 30: .setFlags([["a", "b", "c"][number(below: 3)]: number(below: 2) == 0])
        default:
            isInBatch
                ? .pop
                : .batch(
                    (0..<number(below: 6)).map { _ in
                        operation(next() ?? 0, window, isInBatch: true)
                    })
        }
    }

    private mutating func scene() -> Scene.Name {
        ["a", "b", "c", "login", "missing", "item", "nav", "tabs"][number(below: 8)]
    }

    private mutating func segue() -> String {
        ["show", "push", "present", "home", "custom", "missing", "close"][number(below: 7)]
    }

    private mutating func navigationController() -> NavigationController.ID {
        NavigationController.ID(number: number(below: 12))
    }

    private mutating func presentation(_ window: Window) -> Present {
        Present(
            scene: scene(), parameters: number(below: 4) == 0 ? ["n": "1"] : [:],
            style: number(below: 2) == 0 ? nil : PresentationStyle.allCases[number(below: 9)],
            isModalInPresentation: [nil, true, false][number(below: 3)],
            from: number(below: 4) == 0 ? id(window) : nil)
    }

    private mutating func target(_ window: Window) -> NavigationRules.Target {
        if number(below: 3) == 0 { return .instance(id(window)) }
        let scene = scene()
        return .scene(scene, parameters: scene == "item" ? ["n": "\(number(below: 3))"] : [:])
    }

    private mutating func id(_ window: Window) -> ViewController.ID {
        let number = number(below: 256)
        guard number < 200 else { return ViewController.ID(number: number - 199) }
        let all = window.layers.flatMap(\.navigationControllers).flatMap(\.stack.viewControllers)
        return all[number % all.count].id
    }

    private mutating func link() -> Link {
        let segments = [["b"], ["item", "1"], ["nowhere"]][number(below: 3)]
        return .path("/" + segments.joined(separator: "/"))
    }

    private mutating func changes() -> ViewControllerChanges {
        let titles: [String??] = [nil, .some(nil), "", "é\u{0}\""]
        return ViewControllerChanges(
            title: titles[number(below: 4)],
            navigationItem: NavigationItemChanges(
                backButtonTitle: titles[number(below: 4)],
                leftItems: [nil, [], ["a", ""]][number(below: 3)]),
            hidesBottomBarWhenPushed: [nil, true, false][number(below: 3)],
            bottomBarText: titles[number(below: 4)],
            toolbarItems: [nil, [], ["a", ""]][number(below: 3)],
            isModalInPresentation: [nil, true, false][number(below: 3)],
            tabBarItem: TabBarItemChanges(badge: titles[number(below: 4)]))
    }

    private mutating func parameters() -> [String: String]? {
        [nil, [:], ["n": "\(number(below: 3))"], ["n": "1", "m": "2"]][number(below: 4)]
    }
}

private let fuzzSegues = [
    Segue(identifier: "show", action: .show("b")), Segue(identifier: "push", action: .push("b")),
    Segue(identifier: "present", action: .present("nav", .formSheet)),
    Segue(identifier: "home", action: .unwind("home")),
    Segue(identifier: "custom", action: .custom),
]

private let closeSegue = Segue(
    identifier: "close", action: .dismiss, when: FlagCondition("!a"))

private func fuzzControls(setting segue: String?) -> Controls {
    var controls = Controls()
    controls.buttons = [
        Control(title: "Go", segue: "show"), Control(title: "Back", segue: "home"),
        Control(title: "Set", segue: segue, when: FlagCondition("!a"), sets: ["a": true]),
    ]
    controls.leftItems = [Control(title: "Menu", segue: nil, when: FlagCondition("b"))]
    return controls
}

/// An app with a login and segments, ones that lack a scene or a segment of it, and ones with tabs,
/// also with guests, for whom some scenes are everyone's.
let fuzzApps: [App] = [
    (["a", "b", "c", "item"], false, []), (["a", "b", "item"], false, []),
    (["b", "a", "c"], false, []), (["a", "b", "item"], true, []),
    (["a", "b", "c", "item"], true, ["a", "c"]), (["a", "b", "c", "item"], false, ["a", "item"]),
].map { (names: [String], hasTabs: Bool, everyones: [String]) in
    do {
        let scenes = try names.map { name in
            // A scene that no presented layer shows must not have a `dismiss` segue.
            let canClose = name != "item"
            return try Scene(
                name: name, kind: .blank,
                access: everyones.contains(name) ? .everyone : .members, title: TextTemplate(name),
                parameters: name == "item" ? ["n"] : [],
                paths: [PathPattern(name == "item" ? "/item/{n}" : "/\(name)")],
                parent: name == "item" ? "a" : nil,
                navigationItem: NavigationItem(leftItems: ["Menu"]),
                segues: canClose ? fuzzSegues + [closeSegue] : fuzzSegues,
                unwindActions: name == "a" ? ["home", "any"] : ["any"],
                presentation: name == "c" ? .fullScreen : nil,
                controls: fuzzControls(setting: canClose ? "close" : nil))
        }
        let containers = [
            Scene(name: "nav", kind: .navigation, root: "a"),
            Scene(
                name: "tabs", kind: .tabBar,
                tabs: ["nav", "b", "nav"].map { Scene.Tab(title: nil, scene: $0) }),
        ]
        let source = RecordSource(Catalog(authors: []))
        let draft = StoryboardDraft(
            name: "Fuzz", loginScene: "login", initialScene: hasTabs ? "tabs" : names[0],
            segments: hasTabs ? [] : names.prefix(2).map { ($0, $0) },
            hasGuests: !everyones.isEmpty, flags: ["a": false, "b": names.count == 3],
            scenes: scenes + containers + [Scene(name: "login", kind: .form, access: .login)])
        var limits = SizeLimits()
        limits.stackDepth = 12
        return App(
            storyboard: try Storyboard(draft, dataSource: source), dataSource: source,
            limits: limits)
    } catch {
        fatalError("the storyboard is sound: \(error)")
    }
}
