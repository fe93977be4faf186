@testable import NavigationRules

extension WrongStoryboard {
    /// Storyboards with a mistake in a container, a segue or a control.
    static func wrongContainers() throws -> [WrongStoryboard] {
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
            Self(
                scenes: [home, Scene(name: "bars", kind: .tabBar)], initialScene: "bars",
                defects: [("initialScene", "bars is shown, but has no tabs")]),
            Self(
                scenes: [home, bars], initialScene: "bars", segments: [("One", "home")],
                defects: [("segments", "has no segments")]),
            Self(
                scenes: [home, nav], segments: [("One", "nav")],
                defects: [("segments[0].scene", "container")]),
            Self(
                scenes: [Scene(name: "nav", kind: .navigation, root: "item"), item],
                initialScene: "nav", defects: [("initialScene", "needs the parameter n")]),
            Self(
                scenes: [login, Scene(name: "nav", kind: .navigation, root: "login")],
                initialScene: "nav", defects: [("initialScene", "does not have the access members")]
            ),
            Self(
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
                        identifier: "go", action: .show("item"),
                        parameters: ["n": try TextTemplate("{count} items")])), item,
                [("scenes.a.segues[0].parameters.n", "{count} has a value in titles")]),
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
                Scene(name: "a", kind: .navigation, root: "home", unwindActions: ["back"]),
                [("scenes.a.unwindActions", "give the actions to its contents")]),
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
}
