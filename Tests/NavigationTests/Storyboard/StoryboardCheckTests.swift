import TestSupport
import Testing

@testable import Navigation

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
                defects: [("initialScene", "whose access is app")]),
            Wrong(
                scenes: [home], loginScene: "home",
                defects: [("loginScene", "whose access is login")]),
            Wrong(
                scenes: [Scene(name: "home", kind: .navigation)],
                defects: [("initialScene", "container")]),
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
                    ("scenes.a.submit", "whose access is login")
                ]),
            with(
                Scene(name: "a", kind: .table, rows: "letters"),
                [
                    ("scenes.a.rows", "there are: numbers")
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
                    ("scenes.a.image", "there are: picture")
                ]),
            with(
                Scene(name: "a", kind: .image, image: "picture"),
                [
                    ("scenes.a.image", "needs the parameter n")
                ]),
            with(
                Scene(name: "a", kind: .blank, path: try PathPattern("/a/{n}")),
                [
                    ("scenes.a.path", "{n}")
                ]),
            with(
                Scene(name: "a", kind: .blank, parameters: ["n"], path: try PathPattern("/a")),
                [("scenes.a.path", "n is missing")]),
            with(
                Scene(name: "a", kind: .tabBar, path: try PathPattern("/a")),
                [
                    ("scenes.a.path", "container")
                ]),
            with(
                Scene(name: "a", kind: .blank, parameters: ["m"], path: try PathPattern("/x/{m}")),
                Scene(name: "b", kind: .blank, parameters: ["n"], path: try PathPattern("/x/{n}")),
                [("scenes.b.path", "scenes.a.path")]),
            with(
                Scene(name: "a", kind: .blank, parent: "nowhere"),
                [
                    ("scenes.a.parent", "nowhere")
                ]),
            with(Scene(name: "a", kind: .blank, parent: "a"), [("scenes.a.parent", "circle")]),
            with(
                Scene(name: "a", kind: .blank, parent: "b"),
                Scene(name: "b", kind: .blank, parent: "a"),
                [("scenes.a.parent", "circle"), ("scenes.b.parent", "circle")]),
            with(
                Scene(name: "a", kind: .blank, parent: "b"),
                Scene(name: "b", kind: .blank, parameters: ["n"]), [("scenes.a.parent", "n")]),
            with(
                Scene(name: "a", kind: .form, access: .login, parent: "home"),
                [("scenes.a.parent", "other root")]),
        ]
    }

    @Test("Each defect of a storyboard is reported with its key path and the reason")
    func keyPaths()
        throws
    {
        for wrong in try Self.wrong() {
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
