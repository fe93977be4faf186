import Testing

@testable import NavigationRules

/// A storyboard with a single mistake.
struct WrongStoryboard: Sendable, CustomTestStringConvertible {
    let scenes: [Scene]
    var initialScene: String? = "home"
    var loginScene: String? = nil
    var segments: [(title: String, scene: String)] = []
    /// The place of each expected defect, and a word of its reason.
    let defects: [(keyPath: String, mention: String)]

    var testDescription: String { defects.map(\.keyPath).joined(separator: ", ") }
}

extension WrongStoryboard {
    static let home = Scene(name: "home", kind: .blank)
    static let login = Scene(name: "login", kind: .form, access: .login)

    static func with(_ scene: Scene, _ defects: [(String, String)]) -> WrongStoryboard {
        Self(scenes: [home, scene], defects: defects.map { (keyPath: $0.0, mention: $0.1) })
    }

    static func with(
        _ one: Scene, _ other: Scene, _ defects: [(String, String)]
    ) -> WrongStoryboard {
        Self(
            scenes: [home, one, other], defects: defects.map { (keyPath: $0.0, mention: $0.1) })
    }
}

extension WrongStoryboard {
    static func wrong() throws -> [WrongStoryboard] {
        [
            Self(scenes: [home], initialScene: nil, defects: [("initialScene", "missing")]),
            Self(
                scenes: [home], initialScene: "hom",
                defects: [("initialScene", "no scene is named hom")]),
            Self(
                scenes: [login], initialScene: "login",
                defects: [("initialScene", "does not have the access members")]),
            Self(
                scenes: [home], loginScene: "home",
                defects: [("loginScene", "does not have the access login")]),
            Self(
                scenes: [Scene(name: "home", kind: .navigation)],
                defects: [("initialScene", "no root")]),
            Self(
                scenes: [Scene(name: "home", kind: .blank, parameters: ["n"])],
                defects: [("initialScene", "needs the parameter n")]),
            Self(
                scenes: [home], segments: [("One", "home"), ("Two", "nowhere")],
                defects: [("segments[1].scene", "nowhere")]),
            with(
                Scene(name: "a", kind: .blank, parameters: ["n", "n", "", "count", ".", "..?"]),
                [
                    ("scenes.a.parameters[1]", "twice"), ("scenes.a.parameters[2]", "empty"),
                    ("scenes.a.parameters[3]", "{count}"),
                    ("scenes.a.parameters[4]", ". means a folder"),
                    ("scenes.a.parameters[5]", ".. means a folder"),
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
}
