import Navigation
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
                #expect(answer == .none, "\(scene.name)")
                continue
            }
            let path = exploration.path(to: head)
            let isByCode = path.contains { if case .segue = $0 { true } else { false } }
            guard case .path(_, let steps, _) = answer else {
                #expect(isByCode, "\(scene.name)")
                continue
            }
            #expect(steps.count == path.count || isByCode, "\(scene.name)")
            let text = answer.flow(from: "launch", to: scene.name, storyboard: nil)
            files.append(try folder.write(#require(text), "\(scene.name).yaml"))
        }
        let apps = try LocalApps(FlowReader.read(files)) { _ in app }
        let results = try await apps.runner.run(FlowReader.read(files))
        #expect(results.compactMap(\.failure?.reason) == [])
    }

    @Test("No window within bounds is nearer than the way that was found", arguments: 0..<30)
    func shortest(seed: Int) throws {
        let app = try RandomStoryboard.app(seed: UInt64(seed))
        let scenes = app.storyboard.scenes.values.filter { !$0.kind.isContainer }.map(\.name)
        let exploration = Exploration(app)
        for from in scenes.sorted() {
            guard case .path(let before, _, _) = search(app, .scene(from), from),
                let start = window(exploration, after: before)
            else { continue }
            var walk = BruteForce(exploration, BruteForce.Bounds(windows: 1000))
            walk.walkAsUser(from: start)
            for (scene, distance) in walk.firstOfScene {
                switch search(app, .scene(from), scene) {
                case .path(_, let steps, _):
                    #expect(steps.count <= distance, "\(from) to \(scene)")
                case .none: Issue.record("\(from) to \(scene) takes \(distance) actions")
                case .unknown: break
                }
            }
        }
    }

    @Test("No window within bounds is nearer to the launch", arguments: 0..<200)
    func shortestFromLaunch(seed: Int) throws {
        let app = try RandomStoryboard.app(seed: UInt64(seed))
        var walk = BruteForce(Exploration(app), BruteForce.Bounds(windows: 1000))
        walk.walkAsUser(from: Window.launch(app).window)
        let ways = LaunchSearch(app, Exploration.Limits())
        for (scene, distance) in walk.firstOfScene {
            switch ways.answer(to: scene) {
            case .path(_, let steps, _): #expect(steps.count <= distance, "\(scene)")
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
        guard case .path(_, let steps, _) = search(app, .scene("cover"), "books") else {
            Issue.record("no way")
            return
        }
        #expect(steps.count == 1)
        let login = try #require(app.storyboard.loginScene?.name)
        #expect(search(app, .scene("cover"), login, onlyGestures: true) == .none)
        guard case .path(_, let out, _) = search(app, .scene("cover"), login) else {
            Issue.record("no log-out")
            return
        }
        #expect(out == ["log-out:"])
        let json = search(app, .launch, login).json(from: "launch", to: login)
        #expect(json.contains(#""certainty":"proved","flow":[],"actions":0"#))
    }
}
