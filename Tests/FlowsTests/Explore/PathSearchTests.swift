import NavigationRules
import TestSupport
import Testing

@testable import Exploration
@testable import Flows

/// Searches for the shortest ways of users to scenes.
@Suite struct PathSearchTests {
    private func search(
        _ app: App, _ start: PathSearch.Start, _ scene: String, onlyGestures: Bool = false
    ) -> PathSearch.Answer {
        var limits = Exploration.Limits()
        limits.rows = nil
        return PathSearch(app, limits, onlyGestures: onlyGestures).answer(from: start, to: scene)
    }

    @Test(
        "The way from the launch is the one of the exploration, and passes as a flow",
        arguments: ExplorationCaseTests.cases)
    func launch(each: ExplorationCaseTests.Case) async throws {
        let app = try ExplorationCaseTests.app(of: each)
        var exploration = Exploration(app)
        _ = exploration.run()
        let folder = try FlowFolder()
        var files: [String] = []
        for scene in app.storyboard.scenes.values where !scene.kind.isContainer {
            let answer = search(app, .launch, scene.name)
            guard let head = exploration.firstOfScene[scene.name] else {
                #expect(answer.isNone, "\(scene.name)")
                continue
            }
            let path = exploration.path(to: head)
            let isByCode = path.contains { if case .segue = $0 { true } else { false } }
            guard case .path(let way) = answer else {
                #expect(isByCode, "\(scene.name)")
                continue
            }
            #expect(way.steps.count == path.count || isByCode, "\(scene.name)")
            let text = answer.flow(from: "launch", to: scene.name, storyboard: nil)
            files.append(try folder.write(#require(text), "\(scene.name).yaml"))
        }
        let apps = try LocalApps(FlowReader.read(files)) { _ in app }
        let results = try await apps.runner.run(FlowReader.read(files))
        #expect(results.compactMap(\.failure?.reason) == [])
    }

    /// The random apps without flags: in the others, the search lists whole windows, as the walk
    /// does with which it is compared here.
    private static func seeds(_ count: Int) -> [Int] {
        Array((0...).lazy.filter { !RandomStoryboard.hasFlags(seed: UInt64($0)) }.prefix(count))
    }

    @Test("No window within bounds is nearer than the way that was found", arguments: seeds(30))
    func shortest(seed: Int) throws {
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
                    #expect(way.steps.count <= distance, "\(from) to \(scene)")
                case .none: Issue.record("\(from) to \(scene) takes \(distance) actions")
                case .unknown: break
                }
            }
        }
    }

    @Test("No window within bounds is nearer than the way from a window that code has made")
    func fromAnyWindow() throws {
        var (ways, proofs, uncertain) = (0, 0, 0)
        for seed in Self.seeds(60) {
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
        #expect(ways > 100 && proofs > 20 && uncertain < 20, "\(ways) \(proofs) \(uncertain)")
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

    @Test("A way from the end of a flow uses the flow, and signs up with another name")
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
                steps:
                  - use: out.yaml#Out
                  # from here: @out.yaml
                  - tap: { place: button, index: 0 } # Sign Up
                  - sign-up: ada2
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

    @Test("No window within bounds is nearer to the launch", arguments: seeds(200))
    func shortestFromLaunch(seed: Int) throws {
        let app = try RandomStoryboard.app(seed: UInt64(seed))
        var walk = BruteForce(Exploration(app), BruteForce.Bounds(windows: 1000))
        walk.walkAsUser(from: Window.launch(app).window)
        let ways = LaunchSearch(app, Exploration.Limits())
        for (scene, distance) in walk.firstOfScene {
            switch ways.answer(to: scene) {
            case .path(let way): #expect(way.steps.count <= distance, "\(scene)")
            case .none: Issue.record("\(scene) takes \(distance) actions")
            case .unknown: break
            }
        }
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
