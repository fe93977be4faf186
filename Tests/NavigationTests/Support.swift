import NavigationRules

/// Apps for tests.
enum TestApp {
    /// Returns an app with all features: a login, segments, a table, links with parents,
    /// containers, and all settings of the bars.
    static func everything(
        login: Bool = true, segments: Bool = true, segmentOrder: [Scene.Name] = ["S0", "S1", "S2"],
        without lost: Set<Scene.Name> = [], maximumStackDepth: Int = 8
    ) throws -> App {
        let scenes = try [
            Scene(name: "Login", kind: .form, access: .login, title: TextTemplate("Log In")),
            Scene(
                name: "SignUp", kind: .form, access: .login, title: TextTemplate("Sign Up"),
                paths: [PathPattern("/login/up")]),
            Scene(
                name: "S0", kind: .blank, title: TextTemplate("Italy"),
                bottomBar: TextTemplate("Ciao")),
            Scene(
                name: "S1", kind: .blank, title: TextTemplate("Australia"),
                paths: [PathPattern("/s1")]
            ),
            Scene(name: "S2", kind: .blank),
            Scene(name: "B", kind: .blank, title: TextTemplate("B")),
            Scene(name: "C", kind: .blank, title: TextTemplate(""), bottomBar: TextTemplate("C")),
            Scene(
                name: "X", kind: .blank, title: TextTemplate("X"), paths: [PathPattern("/s1/x")],
                parent: "S1"),
            Scene(
                name: "item", kind: .blank, title: TextTemplate("Item {n}"), parameters: ["n"],
                paths: [PathPattern("/s1/x/{n}")], parent: "X"),
            Scene(
                name: "table", kind: .table, title: TextTemplate("{count} rows"), rows: "numbers",
                select: "item"),
            Scene(
                name: "short", kind: .blank, title: TextTemplate("A very long title"),
                navigationItem: NavigationItem(backButtonTitle: "Lib")),
            Scene(
                name: "hidden", kind: .blank, title: TextTemplate("Hidden"),
                navigationItem: NavigationItem(hidesBackButton: true)),
            Scene(
                name: "full", kind: .blank, title: TextTemplate("Full"),
                hidesBottomBarWhenPushed: true),
            Scene(name: "tabs", kind: .tabBar),
        ]
        let titles = ["S0": "Italy", "S1": "Australia", "S2": "Japan"]
        let draft = StoryboardDraft(
            name: "Everything", loginScene: login ? "Login" : nil, initialScene: "S0",
            segments: segments
                ? segmentOrder.filter { !lost.contains($0) }.map { (titles[$0] ?? "", $0) } : [],
            scenes: scenes.filter { !lost.contains($0.name) })
        return App(
            storyboard: try Storyboard(draft, dataSource: Numbers()), dataSource: Numbers(),
            limits: .depth(maximumStackDepth))
    }
}

extension TestApp {
    /// Returns an app with containers: tabs at the app root or segments, sheets, segues, unwind
    /// actions, links with presentations, and controls.
    static func containers(
        login: Bool, tabs: Bool, segments: Bool = false, guests: Bool = false,
        isStrict: Bool = false, flags: [String: Bool] = ["open": false],
        maximumStackDepth: Int = 8
    ) throws -> App {
        let storyboard = try Storyboard(
            StoryboardDraft(
                name: "Containers", loginScene: login ? "Login" : nil,
                initialScene: tabs ? "tabs" : "A",
                segments: segments ? [("First", "A"), ("Second", "B")] : [],
                hasGuests: guests, flags: flags,
                scenes: containerScenes(
                    everyones: guests
                        ? ["A", "table", "full", "alone", "page"] + (segments ? [] : ["B"]) : []
                ) + [
                    Scene(
                        name: "Login", kind: .form, access: .login, submit: .logIn,
                        segues: [Segue(identifier: "join", action: .present("joinNav", nil))]),
                    Scene(name: "SignUp", kind: .form, access: .login, submit: .signUp),
                    Scene(name: "joinNav", kind: .navigation, access: .login, root: "SignUp"),
                ], isStrict: isStrict), dataSource: Numbers())
        return App(
            storyboard: storyboard, dataSource: Numbers(), limits: .depth(maximumStackDepth))
    }

    /// - Parameter everyones: the names of the scenes for everyone, if the app has guests.
    private static func containerScenes(everyones: [Scene.Name]) throws -> [Scene] {
        func access(_ name: Scene.Name) -> Scene.Access {
            everyones.contains(name) ? .everyone : .members
        }
        // Only these two scenes lead to the log-in.
        func logIn(_ name: Scene.Name) -> [Segue] {
            everyones.contains(name)
                ? [
                    Segue(identifier: "join", action: .present("joinNav", nil)),
                    Segue(identifier: "inline", action: .show("Login")),
                ] : []
        }
        var controls = Controls()
        controls.buttons = [
            Control(title: "Next", segue: "next"), Control(title: "Sheet", segue: "sheet"),
            Control(title: "Home", segue: "home"),
            Control(title: "Branch", segue: "branch"), Control(title: "Close", segue: "close"),
            Control(title: "Open", segue: nil, when: FlagCondition("!open"), sets: ["open": true]),
            Control(title: "Guarded", segue: "next", when: FlagCondition("open")),
            Control(title: "Shut", segue: "branch", sets: ["open": false]),
        ]
        controls.leftItems = [
            Control(title: "Menu", segue: nil, when: FlagCondition("open"))
        ]
        controls.rightItems = [
            Control(title: "Cover", segue: "cover"), Control(title: "Plain", segue: nil),
        ]
        let segues = [
            Segue(identifier: "next", action: .show("B")),
            Segue(identifier: "sheet", action: .present("bNav", .formSheet)),
            Segue(identifier: "cover", action: .present("cover", nil)),
            Segue(identifier: "home", action: .unwind("toA")),
            Segue(identifier: "push", action: .push("B")),
            Segue(
                identifier: "item", action: .show("item"), parameters: ["n": try TextTemplate("7")]),
            Segue(identifier: "magic", action: .custom),
            Segue(identifier: "close", action: .dismiss),
            Segue(identifier: "branch", action: .show("B"), when: FlagCondition("open")),
            Segue(
                identifier: "branch", action: .present("bNav", nil), when: FlagCondition("!open")),
            // The segue `close` needs a presented layer somewhere.
            Segue(identifier: "over", action: .present("aNav", .pageSheet)),
            Segue(identifier: "menu", action: .present("menuNav", nil)),
        ]
        return try [
            Scene(
                name: "A", kind: .blank, access: access("A"), title: TextTemplate("A"),
                paths: [PathPattern("/a")],
                navigationItem: NavigationItem(
                    leftItems: ["Menu"], rightItems: ["Cover", "Plain"]),
                segues: segues + logIn("A"),
                unwindActions: ["toA", "toAny"], controls: controls),
            Scene(
                name: "B", kind: .blank, access: access("B"), title: TextTemplate("B"),
                paths: [PathPattern("/b"), PathPattern("/bee")], segues: segues + logIn("B"),
                unwindActions: ["toB", "toAny"], controls: controls),
            Scene(
                name: "table", kind: .table, access: access("table"), title: TextTemplate("Table"),
                rows: "numbers",
                select: "item"),
            Scene(
                name: "menu", kind: .table, title: TextTemplate("Menu"), segues: segues,
                fixedRows: [
                    FixedRow(title: "Item", segue: "item"), FixedRow(title: "Label"),
                    FixedRow(title: "Secret", segue: "next", when: FlagCondition("open")),
                    FixedRow(title: "Open", sets: ["open": true]),
                    FixedRow(title: "Home", segue: "home"),
                ]),
            Scene(
                name: "item", kind: .blank, title: TextTemplate("Item {n}"),
                parameters: ["n", "q?"],
                paths: [PathPattern("/a/{n}")], parent: "A", segues: segues),
            Scene(
                name: "note", kind: .blank, parameters: ["n"], paths: [PathPattern("/a/{n}/note")],
                parent: "item", presentation: .pageSheet, isModalInPresentation: true),
            Scene(
                name: "cover", kind: .blank, paths: [PathPattern("/cover")], parent: "B",
                segues: segues,
                unwindActions: ["toAny"], presentation: .fullScreen, controls: controls),
            Scene(
                name: "page", kind: .blank, access: access("page"),
                paths: [PathPattern("/cover/page")], parent: "cover",
                segues: segues),
            Scene(
                name: "alone", kind: .blank, access: access("alone"),
                paths: [PathPattern("/alone")], presentation: .popover),
            Scene(
                name: "full", kind: .blank, access: access("full"), hidesBottomBarWhenPushed: true),
            Scene(name: "aNav", kind: .navigation, root: "A"),
            Scene(name: "bNav", kind: .navigation, root: "B"),
            Scene(name: "menuNav", kind: .navigation, root: "menu", presentation: .currentContext),
            Scene(name: "itemNav", kind: .navigation, root: "item"),
            Scene(
                name: "tabs", kind: .tabBar,
                tabs: [
                    Scene.Tab(title: "One", scene: "aNav"), Scene.Tab(title: nil, scene: "bNav"),
                    Scene.Tab(title: nil, scene: "table"), Scene.Tab(title: nil, scene: "menuNav"),
                ]),
            Scene(name: "empty", kind: .tabBar),
        ]
    }
}

/// A data source with three rows, each of which passes its number as a parameter.
struct Numbers: DataSource {
    var rowBindings: [String: RowBinding] {
        ["numbers": RowBinding(requires: [], provides: ["n"])]
    }
    var imageBindings: [String: ImageBinding] { ["picture": ImageBinding(requires: ["n"])] }

    func numberOfRows(in binding: String, _ parameters: Parameters) -> Int? { 3 }

    func row(_ index: Int, of binding: String, _ parameters: Parameters) -> Row? {
        (0..<3).contains(index)
            ? Row(title: "Row \(index)", subtitle: nil, parameters: ["n": String(index)]) : nil
    }

    func image(_ binding: String, _ parameters: Parameters) -> ImageReference? { nil }
    func displayName(of parameter: String, in parameters: Parameters) -> String? { nil }
}

extension SizeLimits {
    static func depth(_ depth: Int) -> SizeLimits {
        var limits = SizeLimits()
        limits.stackDepth = depth
        return limits
    }
}

/// A suite of tests that perform several operations on a window.
protocol WindowSuite {}

extension WindowSuite {
    func perform(
        _ window: inout Window, _ operations: NavigationRules.Operation..., in app: App
    ) throws {
        for operation in operations {
            _ = try window.perform(operation, animated: true, in: app)
        }
    }

    func scene(_ name: Scene.Name) -> Target { .scene(name, parameters: [:]) }
}
