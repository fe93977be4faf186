import TestSupport
import Testing

@testable import NavigationRules

@Suite struct StoryboardCheckTests {
    /// A storyboard with a single mistake.
    struct Wrong: Sendable, CustomTestStringConvertible {
        let scenes: [Scene]
        var initialScene: String? = "home"
        var loginScene: String? = nil
        var segments: [(title: String, scene: String)] = []
        /// The place of each expected defect, and a word of its reason.
        let defects: [(keyPath: String, mention: String)]

        var testDescription: String { defects.map(\.keyPath).joined(separator: ", ") }
    }

    private static let home = Scene(name: "home", kind: .blank)
    private static let login = Scene(name: "login", kind: .form, access: .login)

    static func wrong() throws -> [Wrong] {
        [
            Wrong(scenes: [home], initialScene: nil, defects: [("initialScene", "missing")]),
            Wrong(
                scenes: [home], initialScene: "hom",
                defects: [("initialScene", "no scene is named hom")]),
            Wrong(
                scenes: [login], initialScene: "login",
                defects: [("initialScene", "does not have the access members")]),
            Wrong(
                scenes: [home], loginScene: "home",
                defects: [("loginScene", "does not have the access login")]),
            Wrong(
                scenes: [Scene(name: "home", kind: .navigation)],
                defects: [("initialScene", "no root")]),
            Wrong(
                scenes: [Scene(name: "home", kind: .blank, parameters: ["n"])],
                defects: [("initialScene", "needs the parameter n")]),
            Wrong(
                scenes: [home], segments: [("One", "home"), ("Two", "nowhere")],
                defects: [("segments[1].scene", "nowhere")]),
            with(
                Scene(name: "a", kind: .blank, parameters: ["n", "n", "", "count"]),
                [
                    ("scenes.a.parameters[1]", "twice"), ("scenes.a.parameters[2]", "empty"),
                    ("scenes.a.parameters[3]", "{count}"),
                ]),
            with(
                Scene(name: "a", kind: .blank, title: try TextTemplate("{who}")),
                [
                    ("scenes.a.title", "{who}")
                ]),
            with(
                Scene(name: "a", kind: .blank, bottomBar: try TextTemplate("{count}")),
                [
                    ("scenes.a.bottomBar", "table")
                ]),
            with(
                Scene(
                    name: "a", kind: .table, title: try TextTemplate("{count}"),
                    fixedRows: [FixedRow(title: "A", when: FlagCondition("loggedIn"))]),
                [
                    ("scenes.a.title", "{count} cannot count rows that have a condition"),
                    ("scenes.a.rows[0].when", "loggedIn"),
                ]),
            with(
                Scene(name: "a", kind: .blank, rows: "numbers"),
                [
                    ("scenes.a.rows", "only a table")
                ]),
            with(
                Scene(name: "a", kind: .blank, access: .login, submit: .logIn),
                [
                    ("scenes.a.submit", "only a form")
                ]),
            with(
                Scene(name: "a", kind: .form, submit: .signUp),
                [
                    ("scenes.a.submit", "does not have the access login")
                ]),
            with(
                Scene(name: "a", kind: .table, rows: "letters"),
                [
                    ("scenes.a.rows", "expected one of: numbers")
                ]),
            with(
                Scene(name: "a", kind: .table, select: "home"),
                [
                    ("scenes.a.select", "only a table with rows")
                ]),
            with(
                Scene(name: "a", kind: .table, rows: "numbers", select: "nowhere"),
                [
                    ("scenes.a.select", "nowhere")
                ]),
            with(
                Scene(name: "a", kind: .table, rows: "numbers", select: "b"),
                Scene(name: "b", kind: .blank, parameters: ["m"]), [("scenes.a.select", "m")]),
            with(
                Scene(name: "a", kind: .table, rows: "numbers", select: "b"),
                Scene(name: "b", kind: .tabBar), [("scenes.a.select", "container")]),
            with(
                Scene(name: "a", kind: .table, access: .login, rows: "numbers", select: "home"),
                [("scenes.a.select", "other root")]),
            with(
                Scene(name: "a", kind: .table, image: "picture", parameters: ["n"]),
                [
                    ("scenes.a.image", "kind image")
                ]),
            with(
                Scene(name: "a", kind: .image, image: "photo"),
                [
                    ("scenes.a.image", "expected one of: picture")
                ]),
            with(
                Scene(name: "a", kind: .image, image: "picture"),
                [
                    ("scenes.a.image", "needs the parameter n")
                ]),
            with(
                Scene(name: "a", kind: .blank, paths: [try PathPattern("/a/{n}")]),
                [
                    ("scenes.a.path", "{n}")
                ]),
            with(
                Scene(name: "a", kind: .tabBar, paths: [try PathPattern("/a")]),
                [
                    ("scenes.a.path", "container")
                ]),
            with(
                Scene(
                    name: "a", kind: .blank, parameters: ["m"], paths: [try PathPattern("/x/{m}")]),
                Scene(
                    name: "b", kind: .blank, parameters: ["n"], paths: [try PathPattern("/x/{n}")]),
                [("scenes.b.path", "scenes.a.path")]),
            with(
                Scene(name: "a", kind: .blank, parent: "nowhere"),
                [
                    ("scenes.a.parent", "nowhere")
                ]),
            with(Scene(name: "a", kind: .blank, parent: "a"), [("scenes.a.parent", "cycle")]),
            with(
                Scene(name: "a", kind: .blank, parent: "b"),
                Scene(name: "b", kind: .blank, parent: "a"),
                [("scenes.a.parent", "cycle"), ("scenes.b.parent", "cycle")]),
            with(
                Scene(name: "a", kind: .blank, parent: "b"),
                Scene(name: "b", kind: .blank, parameters: ["n"]), [("scenes.a.parent", "n")]),
            with(
                Scene(name: "a", kind: .form, access: .login, parent: "home"),
                [("scenes.a.parent", "other root")]),
        ]
    }

    /// Storyboards with a mistake in a container, a segue or a control.
    static func wrongContainers() throws -> [Wrong] {
        func tabs(_ names: String...) -> Scene {
            Scene(name: "a", kind: .tabBar, tabs: names.map { Scene.Tab(title: nil, scene: $0) })
        }
        func segues(
            _ segues: Segue..., unwindActions: [String] = [], controls: Controls = Controls()
        ) -> Scene {
            Scene(
                name: "a", kind: .blank, segues: segues, unwindActions: unwindActions,
                controls: controls)
        }
        func button(_ segue: String) -> Controls {
            var controls = Controls()
            controls.buttons = [Control(title: "Button", segue: segue)]
            return controls
        }
        let nav = Scene(name: "nav", kind: .navigation, root: "home")
        let bars = Scene(name: "bars", kind: .tabBar, tabs: [Scene.Tab(title: nil, scene: "home")])
        let item = Scene(name: "item", kind: .blank, parameters: ["n"])
        return [
            Wrong(
                scenes: [home, Scene(name: "bars", kind: .tabBar)], initialScene: "bars",
                defects: [("initialScene", "bars is shown, but has no tabs")]),
            Wrong(
                scenes: [home, bars], initialScene: "bars", segments: [("One", "home")],
                defects: [("segments", "has no segments")]),
            Wrong(
                scenes: [home, nav], segments: [("One", "nav")],
                defects: [("segments[0].scene", "container")]),
            Wrong(
                scenes: [Scene(name: "nav", kind: .navigation, root: "item"), item],
                initialScene: "nav", defects: [("initialScene", "needs the parameter n")]),
            Wrong(
                scenes: [login, Scene(name: "nav", kind: .navigation, root: "login")],
                initialScene: "nav", defects: [("initialScene", "does not have the access members")]
            ),
            Wrong(
                scenes: [home, nav], loginScene: "nav",
                defects: [("loginScene", "does not have the access login")]),
            with(
                Scene(name: "a", kind: .navigation, root: "hom"),
                [("scenes.a.root", "no scene is named hom; did you mean home?")]),
            with(
                Scene(name: "a", kind: .navigation, root: "nav"), nav,
                [("scenes.a.root", "nav is a container")]),
            with(
                Scene(name: "a", kind: .navigation, root: "a"),
                [("scenes.a.root", "a is a container")]),
            with(
                Scene(name: "a", kind: .blank, root: "home"),
                [("scenes.a.root", "only a navigation")]),
            with(
                Scene(name: "a", kind: .form, tabs: [Scene.Tab(title: nil, scene: "home")]),
                [("scenes.a.tabs", "only a tab bar")]),
            with(tabs("home", "nowhere"), [("scenes.a.tabs[1].scene", "nowhere")]),
            with(tabs("bars", "home"), bars, [("scenes.a.tabs[0].scene", "a tab cannot be one")]),
            with(tabs("home", "a"), [("scenes.a.tabs[1].scene", "a tab cannot be one")]),
            with(
                tabs("empty"), Scene(name: "empty", kind: .navigation),
                [("scenes.a.tabs[0].scene", "empty has no root")]),
            with(tabs("home", "login"), login, [("scenes.a", "both roots")]),
            with(
                segues(Segue(identifier: "go", action: .show("hom"))),
                [("scenes.a.segues[0].scene", "did you mean home?")]),
            with(
                segues(Segue(identifier: "go", action: .push("nav"))), nav,
                [("scenes.a.segues[0].scene", "it can be presented, not pushed")]),
            with(
                segues(Segue(identifier: "go", action: .present("empty", nil))),
                Scene(name: "empty", kind: .tabBar),
                [("scenes.a.segues[0].scene", "empty is shown, but has no tabs")]),
            with(
                segues(
                    Segue(identifier: "go", action: .show("home")),
                    Segue(identifier: "", action: .custom),
                    Segue(identifier: "go", action: .unwind("back")), unwindActions: ["back"]),
                [
                    ("scenes.a.segues[1].identifier", "expected a name"),
                    ("scenes.a.segues[2].identifier", "two segues with the identifier go"),
                ]),
            with(
                segues(
                    Segue(
                        identifier: "go", action: .show("item"),
                        parameters: [
                            "m": try TextTemplate("1"), "n": try TextTemplate("{other}"),
                        ])), item,
                [
                    ("scenes.a.segues[0].parameters.m", "item has no parameter m"),
                    ("scenes.a.segues[0].parameters.n", "{other}"),
                ]),
            with(
                segues(
                    Segue(
                        identifier: "go", action: .unwind("x"),
                        parameters: ["n": try TextTemplate("1")]), unwindActions: ["x"]),
                [("scenes.a.segues[0].parameters", "shows no new view controller")]),
            with(
                segues(
                    Segue(identifier: "go", action: .unwind("closePlayr")),
                    unwindActions: ["closePlayer"]),
                [
                    (
                        "scenes.a.segues[0].action",
                        "no scene has the unwind action closePlayr; did you mean closePlayer?"
                    )
                ]),
            with(
                segues(Segue(identifier: "go", action: .unwind("close"))),
                [("scenes.a.segues[0].action", "add it to the unwindActions of the scene")]),
            with(
                Scene(
                    name: "a", kind: .navigation, root: "home",
                    segues: [Segue(identifier: "go", action: .custom)], controls: button("go")),
                [
                    ("scenes.a.segues", "a container has no segues"),
                    ("scenes.a.buttons", "a container has no buttons"),
                ]),
            with(
                segues(Segue(identifier: "go", action: .show("home")), controls: button("og")),
                [("scenes.a.buttons[0].segue", "the scene has no segue og; did you mean go?")]),
            with(
                segues(Segue(identifier: "go", action: .show("home")), controls: Self.item("no")),
                [("scenes.a.navigationItem.rightItems[1].segue", "no segue no")]),
            with(
                segues(Segue(identifier: "go", action: .show("item")), controls: button("go")),
                item,
                [("scenes.a.buttons[0].segue", "the parameter n, which the tap cannot give")]),
            with(
                Scene(name: "a", kind: .blank, fixedRows: [FixedRow(title: "Row")]),
                [("scenes.a.rows", "only a table")]),
            with(
                Scene(
                    name: "a", kind: .table,
                    fixedRows: [
                        FixedRow(title: "One", accessorySegue: "gone"),
                        FixedRow(title: "Two", segue: "none"),
                    ]),
                [
                    ("scenes.a.rows[0].accessorySegue", "no segue gone"),
                    ("scenes.a.rows[1].segue", "no segue none"),
                ]),
            with(
                Scene(name: "a", kind: .table, selectSegue: "go"),
                [
                    ("scenes.a.select.segue", "only a table with rows"),
                    ("scenes.a.select.segue", "no segue go"),
                ]),
        ]
    }

    private static func item(_ segue: String) -> Controls {
        var controls = Controls()
        controls.rightItems = [
            Control(title: "", segue: nil), Control(title: "", segue: segue),
        ]
        return controls
    }

    @Test("Each defect of a storyboard is reported with its key path and the reason")
    func keyPaths()
        throws
    {
        for wrong in try Self.wrong() + Self.wrongContainers() {
            let draft = StoryboardDraft(
                name: "Wrong", loginScene: wrong.loginScene, initialScene: wrong.initialScene,
                segments: wrong.segments, scenes: wrong.scenes)
            let error = #expect(throws: StoryboardDefects.self) {
                try Storyboard(draft, dataSource: Numbers())
            }
            let defects = error?.defects ?? []
            #expect(defects.map(\.keyPath) == wrong.defects.map(\.keyPath))
            for (defect, expected) in zip(defects, wrong.defects) {
                #expect(defect.reason.contains(expected.mention), "\(expected.keyPath)")
            }
        }
    }

    private func defects(_ scenes: [Scene]) -> [String] {
        let draft = StoryboardDraft(name: "App", initialScene: "home", scenes: scenes)
        do {
            _ = try Storyboard(draft, dataSource: Numbers())
            return []
        } catch {
            return error.defects.map(\.keyPath)
        }
    }

    @Test("Only the scenes in a cycle of parents have a defect, not those that lead into it")
    func circles() {
        let parents = [
            "home": nil, "a": "b", "b": "c", "c": "b", "d": "a", "e": "home", "f": "f", "g": "f",
        ]
        for seed in 1..<20 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let scenes = parents.map { Scene(name: $0, kind: .blank, parent: $1) }
                .shuffled(using: &generator)
            #expect(
                defects(scenes) == ["scenes.b.parent", "scenes.c.parent", "scenes.f.parent"])
        }
    }

    @Test(
        "A chain of 20,000 parents is checked, with and without a cycle at its end",
        .timeLimit(.minutes(1)))
    func longChain() {
        let chain = (1..<20_000).map {
            Scene(name: "s\($0)", kind: .blank, parent: $0 == 1 ? "home" : "s\($0 - 1)")
        }
        #expect(defects([Self.home] + chain).isEmpty)
        let closed = chain.dropFirst() + [Scene(name: "s1", kind: .blank, parent: "s19999")]
        #expect(defects([Self.home] + closed).count == 19_999)
    }

    @Test(
        "The parents of 20,000 links in one chain are walked once", .timeLimit(.minutes(1)))
    func longChainOfLinks() throws {
        let chain = try (1..<20_000).map {
            Scene(
                name: "s\($0)", kind: .blank, paths: [try PathPattern("/s\($0)")],
                parent: $0 == 1 ? "home" : "s\($0 - 1)")
        }
        let scenes = [Self.home] + chain
        let byName = Dictionary(uniqueKeysWithValues: scenes.map { ($0.name, $0) })
        for linked in [chain, chain.reversed()] {
            let chains = LinkChains(to: linked, in: byName)
            #expect(chains.members.count == 20_000)
            let last = try #require(chains[chain[19_998]])
            #expect(last.outermost === Self.home && last.second === chain[0])
            #expect(try #require(chains[Self.home]).second == nil)
        }
        let storyboard = try Storyboard(
            StoryboardDraft(name: "Chain", initialScene: "home", scenes: scenes),
            dataSource: Numbers())
        #expect(storyboard.warnings == [])
    }

    @Test("A storyboard without defects is accepted") func sound() throws {
        #expect(try TestApp.everything().storyboard.scenes.count == 14)
    }

    private static func with(_ scene: Scene, _ defects: [(String, String)]) -> Wrong {
        Wrong(scenes: [home, scene], defects: defects.map { (keyPath: $0.0, mention: $0.1) })
    }

    private static func with(
        _ one: Scene, _ other: Scene, _ defects: [(String, String)]
    ) -> Wrong {
        Wrong(
            scenes: [home, one, other], defects: defects.map { (keyPath: $0.0, mention: $0.1) })
    }
}
