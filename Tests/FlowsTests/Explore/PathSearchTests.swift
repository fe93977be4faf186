import NavigationRules
import TestSupport
import Testing

@testable import Exploration
@testable import Flows

/// Searches for the shortest ways of users to scenes.
@Suite struct PathSearchTests {
    private func search(
        _ app: App, _ start: PathSearch.Start, _ scene: String, onlyGestures: Bool = false,
        rows: Int? = nil
    ) -> PathSearch.Answer {
        var limits = Exploration.Limits()
        limits.rows = rows
        return PathSearch(app, limits, onlyGestures: onlyGestures).answer(from: start, to: scene)
    }

    /// The random apps without flags: in the others, the search lists whole windows, as the walk
    /// does with which it is compared here.
    private static func seeds(_ count: Int) -> [Int] {
        Array((0...).lazy.filter { !RandomStoryboard.hasFlags(seed: UInt64($0)) }.prefix(count))
    }

    @Test("No window within bounds is nearer than the way that was found")
    func shortest() throws {
        var (ways, uncertain) = (0, 0)
        for seed in Self.seeds(TestRun.count(12, nightly: 30)) {
            let app = try RandomStoryboard.app(seed: UInt64(seed))
            let scenes = app.storyboard.scenes.values.filter { !$0.kind.isContainer }.map(\.name)
            let exploration = Exploration(app)
            for from in scenes.sorted() {
                guard case .path(let way) = search(app, .scene(from), from),
                    let start = window(exploration, after: way.before)
                else { continue }
                var walk = BruteForce(exploration, BruteForce.Bounds(windows: 1000))
                walk.walkAsUser(from: start)
                for (scene, distance) in walk.firstOfScene {
                    switch search(app, .scene(from), scene) {
                    case .path(let way):
                        ways += 1
                        #expect(way.steps.count <= distance, "seed \(seed): \(from) to \(scene)")
                    case .none:
                        Issue.record("seed \(seed): \(from) to \(scene) takes \(distance) actions")
                    case .unknown: uncertain += 1
                    }
                }
            }
        }
        #expect(
            ways > 0 && (TestRun.current == .quick || ways > 20 * uncertain),
            "\(ways) ways, \(uncertain) uncertain")
    }

    @Test("No window within bounds is nearer than the way from a window that code has made")
    func fromAnyWindow() throws {
        var (ways, proofs, uncertain) = (0, 0, 0)
        for seed in Self.seeds(TestRun.count(24, nightly: 60)) {
            let app = try RandomStoryboard.app(seed: UInt64(seed))
            let scenes = app.storyboard.scenes.values.filter { !$0.kind.isContainer }.map(\.name)
            let exploration = Exploration(app)
            let start = try madeByCode(exploration, seed: UInt64(seed))
            let height =
                start.layers.flatMap(\.navigationControllers)
                .map(\.stack.viewControllers.count).max() ?? 1
            var walk = BruteForce(
                exploration,
                BruteForce.Bounds(
                    height: height + 2, layers: start.layers.count + 2, windows: 1000))
            walk.walkAsUser(from: start)
            for scene in scenes {
                let distance = walk.firstOfScene[scene]
                switch search(app, .end(start, flow: "a.yaml", accounts: []), scene) {
                case .path(let way):
                    ways += 1
                    if !way.isShortest { uncertain += 1 }
                    #expect(way.before == ["use: a.yaml"])
                    #expect(
                        !way.isShortest || way.steps.count <= distance ?? .max,
                        "seed \(seed): \(scene)")
                case .none(let reached):
                    proofs += 1
                    #expect(distance == nil, "seed \(seed): \(scene)")
                    let seen = Set(walk.firstOfScene.keys)
                    #expect(seen.isSubset(of: reached) && !reached.contains(scene), "seed \(seed)")
                case .unknown: uncertain += 1
                }
            }
        }
        switch TestRun.current {
        // Two apps are too few for a count.
        case .quick: break
        case .change:
            #expect(
                ways > 40 && proofs > 8 && uncertain < ways / 5, "\(ways) \(proofs) \(uncertain)")
        case .nightly:
            #expect(ways > 100 && proofs > 20 && uncertain < 20, "\(ways) \(proofs) \(uncertain)")
        }
    }

    /// Returns a window that no user can make: with scenes that only code shows, and with changed
    /// view controllers.
    private func madeByCode(_ exploration: Exploration, seed: UInt64) throws -> Window {
        let app = exploration.app
        let scenes = app.storyboard.scenes.keys.sorted()
        var random = SeededGenerator(seed: seed)
        var window = Window.launch(app).window
        for _ in 0..<10 {
            let scene = scenes[Int.random(in: 0..<scenes.count, using: &random)]
            let actions = exploration.actions(in: window).actions + [.logIn]
            let flag = Bool.random(using: &random)
            let changes = ViewControllerChanges(
                navigationItem: NavigationItemChanges(hidesBackButton: flag),
                hidesBottomBarWhenPushed: flag, isModalInPresentation: flag)
            let live = window.layers.flatMap(\.navigationControllers)
                .flatMap(\.stack.viewControllers)
            let operations: [NavigationRules.Operation] = [
                actions[Int.random(in: 0..<actions.count, using: &random)].operation,
                .push(.scene(scene, parameters: [:])),
                Operation(Present(scene: scene, parameters: [:])),
                .update(live[Int.random(in: 0..<live.count, using: &random)].id, changes),
            ]
            let operation = operations[Int.random(in: 0..<4, using: &random)]
            window = (try? window.performing(operation, animated: false, in: app).window) ?? window
        }
        return window
    }

    @Test("A way from the end of a flow uses the flow, and logs in with another name")
    func flow() async throws {
        let app = try loadApp(nil)
        let folder = try FlowFolder()
        let file = try folder.write(
            """
            name: Other
            steps: [back]
            ---
            name: Out
            strict: true
            steps: [{tap: Sign Up}, {sign-up: Ada}, {tap: {place: row, index: 0}}, log-out]
            """, "out.yaml")
        let flow = try #require(FlowReader.read([file]).last)
        let end = try await FlowEnd(of: flow, in: app)
        #expect(end.accounts == ["ada"] && end.window.root == .login)
        let start = PathSearch.Start.end(
            end.window, flow: "out.yaml#Out", accounts: end.accounts)
        let answer = search(app, start, "authors")
        let text = answer.flow(
            from: "@out.yaml", to: "authors", storyboard: nil, keys: ["strict: true"])
        #expect(
            text == """
                name: "@out.yaml to authors"
                strict: true
                accounts: ["ada2"]
                steps:
                  - use: out.yaml#Out
                  # from here: @out.yaml
                  - log-in: ada2
                  - expect:
                      stack: [Authors]
                      viewControllers.0.scene: authors

                """)
        let results = try await runLocally(folder.write(try #require(text), "more.yaml"))
        #expect(results.compactMap(\.failure?.reason) == [])
        await #expect(throws: FlowFailure.self) {
            try await FlowEnd(of: FlowReader.read([file])[0], in: app)
        }
    }

    /// An app whose form for the log-in is not the first scene. The app is not strict.
    private static let formBehindButton = """
        {"name": "A", "initialScene": "home", "loginScene": "welcome", "scenes": {
          "welcome": {"kind": "blank", "title": "Welcome", "access": "login",
            "buttons": [{"title": "Log In", "segue": "form"}],
            "segues": [{"identifier": "form", "kind": "show", "scene": "form"}]},
          "form": {"kind": "form", "title": "Form", "access": "login", "submit": "log-in"},
          "home": {"kind": "blank", "title": "Home"}}}
        """

    @Test("A user logs in at a form only, also in a session that is not strict")
    func form() throws {
        let folder = try FlowFolder()
        let app = try loadApp(folder.write(Self.formBehindButton, "app.json"))
        let end = PathSearch.Start.end(Window.launch(app).window, flow: "a.yaml", accounts: [])
        for start in [PathSearch.Start.launch, .scene("welcome"), end] {
            guard case .path(let way) = search(app, start, "home") else {
                Issue.record("no way")
                continue
            }
            #expect(way.steps == ["tap: { place: button, index: 0 } # Log In", "sign-up: ada"])
        }
    }

    @Test("A way from a link leads to the form before the log-in, also if the app is not strict")
    func formAfterLink() throws {
        let folder = try FlowFolder()
        let text = Self.formBehindButton
            .replacing(#""home": {"#, with: #""home": {"path": "/home", "#)
        let app = try loadApp(folder.write(text, "app.json"))
        guard case .path(let way) = search(app, .link(.path("/home")), "home") else {
            Issue.record("no way")
            return
        }
        #expect(
            way.before == [
                "open: /home", "tap: { place: button, index: 0 } # Log In", "sign-up: ada",
            ])
        #expect(way.steps == [])
    }

    @Test("A way from the end of a strict flow logs in to an account of its own")
    func strictFlow() async throws {
        let folder = try FlowFolder()
        let app = try loadApp(folder.write(Self.formBehindButton, "app.json"))
        let file = try folder.write(
            """
            name: Out
            app: app.json
            strict: true
            accounts: [ada]
            steps: [{tap: Log In}]
            """, "out.yaml")
        let end = try await FlowEnd(of: FlowReader.read([file])[0], in: app)
        let start = PathSearch.Start.end(end.window, flow: "out.yaml", accounts: end.accounts)
        let text = search(app, start, "home").flow(
            from: "@out.yaml", to: "home", storyboard: "app.json", keys: ["strict: true"])
        #expect(text?.contains("\naccounts: [\"ada2\"]\n") == true)
        #expect(text?.contains("\n  - log-in: ada2\n") == true)
        let results = try await runLocally(folder.write(try #require(text), "way.yaml"))
        #expect(results.compactMap(\.failure?.reason) == [])
    }

    /// Returns the end of a flow that logs in to the Library.
    private func logIn(_ app: App) throws -> PathSearch.Start {
        let logIn = NavigationRules.Operation(LogIn(username: "ada"))
        let window = try Window.launch(app).window.performing(logIn, animated: false, in: app)
            .window
        return .end(window, flow: "a.yaml", accounts: [])
    }

    @Test("A scene that no gesture shows is unknown after rows that were left out")
    func unknown() throws {
        let app = try loadApp(nil)
        let scene = try #require(app.storyboard.loginScene?.name)
        let start = try logIn(app)
        #expect(
            search(app, start, scene, onlyGestures: true)
                == .none(reached: ["authors", "books", "cover", "titles"]))
        #expect(search(app, start, scene, onlyGestures: true, rows: 1) == .unknown)
    }

    @Test("A way of two actions past rows that were left out is not proved to be the shortest")
    func leftOutRows() throws {
        let app = try loadApp(nil)
        let start = try logIn(app)
        let cases: [(scene: String, rows: Int?, isShortest: Bool)] = [
            ("books", nil, true), ("books", 1, true), ("cover", nil, true), ("cover", 1, false),
        ]
        for (scene, rows, isShortest) in cases {
            guard
                case .path(let way) = search(
                    app, start, scene, onlyGestures: true, rows: rows)
            else {
                Issue.record("no way to \(scene)")
                continue
            }
            #expect(way.isShortest == isShortest, "\(scene), rows: \(rows ?? -1)")
            let flow = PathSearch.Answer.path(way).flow(
                from: "@a.yaml", to: scene, storyboard: nil)
            let comment =
                "  # There may be a shorter way, by a row or a link that was left out, or another tab.\n"
            #expect(flow?.contains(comment) == !isShortest)
        }
    }

    @Test(
        "Nothing is proved of an unwinding that may find its target on another tab",
        arguments: [("t", PathSearch.Answer.unknown), ("b", .none(reached: ["a", "b", "t"]))])
    func otherTab(taker: String, expected: PathSearch.Answer) throws {
        func actions(_ name: String) -> String {
            #""unwindActions": \#(name == taker ? #"["x"]"# : "[]")"#
        }
        let folder = try FlowFolder()
        let file = try folder.write(
            """
            {"name": "Tabs", "initialScene": "tabs", "scenes": {
              "tabs": {"kind": "tabBar", "tabs": [{"title": "A", "scene": "aNav"},
                                                  {"title": "B", "scene": "bNav"}]},
              "aNav": {"kind": "navigation", "root": "a"},
              "bNav": {"kind": "navigation", "root": "b"},
              "a": {"kind": "blank", "title": "A", "buttons": [{"title": "X", "segue": "x"}],
                "segues": [{"identifier": "x", "kind": "unwind", "action": "x"}]},
              "b": {"kind": "blank", "title": "B", \(actions("b")),
                "buttons": [{"title": "T", "segue": "t"}],
                "segues": [{"identifier": "t", "kind": "show", "scene": "t"}]},
              "t": {"kind": "blank", "title": "T", \(actions("t"))},
              "island": {"kind": "blank", "title": "Island"}}}
            """, "app.json")
        let app = try loadApp(file)
        let start = PathSearch.Start.end(Window.launch(app).window, flow: "a.yaml", accounts: [])
        #expect(search(app, start, "island") == expected)
    }

    @Test("The link that waits at the end of a flow is part of the way") func pendingLink() throws {
        let app = try loadApp(nil)
        let link = Link.path("/authors/jane-austen/books/emma")
        let window = try Window.launch(app, opening: link).window
        let start = PathSearch.Start.end(window, flow: "a.yaml", accounts: [])
        guard case .path(let way) = search(app, start, "cover"), way.isShortest else {
            Issue.record("no way")
            return
        }
        #expect(way.steps == ["sign-up: ada"])
    }

    @Test("A proof names the scenes that can be reached") func explained() throws {
        let answer = search(
            try loadApp(nil), .scene("cover"),
            try #require(loadApp(nil).storyboard.loginScene?.name),
            onlyGestures: true)
        let text = answer.text(
            from: "cover", to: "login", storyboard: nil, isExplained: true)
        #expect(
            text == """
                no user action leads from cover to login: user actions lead to these scenes, and from \
                them to no other
                  authors
                  books
                  cover
                  titles
                """)
        let json = answer.json(from: "cover", to: "login", isExplained: true)
        #expect(json.contains(#""certainty":"proved","reached":["authors""#))
    }

    @Test("No window within bounds is nearer to the launch")
    func shortestFromLaunch() throws {
        var (found, uncertain) = (0, 0)
        for seed in Self.seeds(TestRun.count(80, nightly: 200)) {
            let app = try RandomStoryboard.app(seed: UInt64(seed))
            var walk = BruteForce(Exploration(app), BruteForce.Bounds(windows: 1000))
            walk.walkAsUser(from: Window.launch(app).window)
            let ways = LaunchSearch(app, Exploration.Limits())
            for (scene, distance) in walk.firstOfScene {
                switch ways.answer(to: scene) {
                case .path(let way):
                    found += 1
                    #expect(way.steps.count <= distance, "seed \(seed): \(scene)")
                case .none: Issue.record("seed \(seed): \(scene) takes \(distance) actions")
                case .unknown: uncertain += 1
                }
            }
        }
        #expect(
            found > 0 && (TestRun.current == .quick || found > 20 * uncertain),
            "\(found) found, \(uncertain) uncertain")
    }

    /// Performs the steps of a flow to a scene again.
    private func window(_ exploration: Exploration, after steps: [String]) -> Window? {
        var window = Window.launch(exploration.app).window
        for step in steps {
            let actions =
                exploration.actions(in: window).actions + [.logIn, .logOut]
                + exploration.heads.links.map { .open($0.link) }
            guard let action = actions.first(where: { exploration.step($0) == step }),
                let next = try? exploration.perform(action, on: window)
            else { return nil }
            window = next
        }
        return window
    }

    @Test("A way back from the cover of a book, and no way by gestures to the login scene")
    func library() throws {
        let app = try loadApp(nil)
        guard case .path(let way) = search(app, .scene("cover"), "books") else {
            Issue.record("no way")
            return
        }
        #expect(way.steps.count == 1)
        let login = try #require(app.storyboard.loginScene?.name)
        #expect(search(app, .scene("cover"), login, onlyGestures: true).isNone)
        guard case .path(let out) = search(app, .scene("cover"), login) else {
            Issue.record("no log-out")
            return
        }
        #expect(out.steps == ["log-out:"])
        let json = search(app, .launch, login).json(from: "launch", to: login)
        #expect(json.contains(#""certainty":"proved","flow":[],"actions":0"#))
    }
}
