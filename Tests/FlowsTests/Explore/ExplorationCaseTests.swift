import Foundation
import JSON
import NavigationRules
import TestSupport
import Testing
import WaypostCore
import WaypostTesting

@testable import Exploration
@testable import Flows

/// Explores small storyboards with known findings.
@Suite struct ExplorationCaseTests {
    /// A line of a file in `Cases`.
    struct Case: Sendable, CustomTestStringConvertible {
        let id: String
        /// The findings: the severity, the kind, the scene and its part; and the number of actions
        /// that lead there.
        let finds: [String]
        let storyboard: JSONValue

        var testDescription: String { id }
    }

    static let folder = Shell.checkout.appending(path: "Tests/FlowsTests/Explore/Cases")

    static let cases: [Case] = ["cases", "more", "guests"].flatMap { name in
        let file = folder.appending(path: "\(name).jsonl")
        let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map { line in
            let json = try? JSONValue(parsing: Array(line.utf8), maximumDepth: 50)
            return Case(
                id: json?["id"]?.text ?? "unreadable line of \(name)",
                finds: json?["finds"]?.texts ?? ["nothing"], storyboard: json?["app"] ?? .null)
        }
    }

    static func app(of each: Case) throws -> App {
        let folder = try FlowFolder()
        for file in ["things.data.json", "nothing.data.json"] {
            try folder.write(
                String(contentsOf: Self.folder.appending(path: file), encoding: .utf8), file)
        }
        var json = JSONWriter()
        json.write(each.storyboard)
        let text = String(decoding: json.bytes, as: UTF8.self)
        return try loadApp(folder.write(text, "app.json"))
    }

    @Test("There are cases") func count() { #expect(Self.cases.count >= 50) }

    /// One test, because an exploration takes longer than what is compared with it.
    @Test(
        "An exploration finds exactly what a case has; its flows and the ways from the launch pass",
        arguments: cases)
    func explored(each: Case) async throws {
        let app = try Self.app(of: each)
        var exploration = Exploration(app)
        let report = exploration.run()
        try checkFindings(of: each, report, exploration)
        let folder = try FlowFolder()
        var files = try exploration.flows().map { try folder.write($0.text, $0.file) }
        for (scene, flow) in waysFromLaunch(in: app, exploration) {
            files.append(try folder.write(flow, "way-\(scene).yaml"))
        }
        let flows = try FlowReader.read(files)
        let results = try await LocalApps(flows) { _ in app }.runner.run(flows)
        #expect(results.count == files.count)
        #expect(results.compactMap(\.failure?.reason) == [])
    }

    private func checkFindings(
        of each: Case, _ report: ExplorationReport, _ exploration: Exploration
    ) throws {
        #expect(report.findings.map(\.summary).sorted() == each.finds.sorted())
        #expect(report.isComplete == !each.finds.contains { $0.hasPrefix("unknown ") })
        for finding in report.findings where finding.kind == .deadEnd {
            let scene = finding.scene ?? ""
            let path = try #require(exploration.deadEnds[scene])
            #expect(path.count == finding.flow?.count)
            let end = try #require(exploration.window(after: path))
            #expect(end.topViewController.scene.name == scene)
            var walk = BruteForce(exploration, BruteForce.Bounds(height: 25, layers: 20))
            #expect(walk.leadsToRoot(from: end) == false)
        }
    }

    /// Checks that the search for ways from the launch finds those of the exploration, but for
    /// segues that the app's code performs.
    /// - Returns: the name of each scene to which a user finds a way, and the way as a flow.
    private func waysFromLaunch(
        in app: App, _ exploration: Exploration
    ) -> [(scene: String, flow: String)] {
        var limits = Exploration.Limits()
        limits.rows = nil
        let search = LaunchSearch(app, limits)
        var ways: [(String, String)] = []
        for scene in app.storyboard.scenes.values where !scene.kind.isContainer {
            let answer = search.answer(to: scene.name)
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
            let flow = answer.flow(from: "launch", to: scene.name, storyboard: nil)
            #expect(flow != nil, "\(scene.name)")
            ways.append((scene.name, flow ?? ""))
        }
        return ways
    }
}

extension PathSearch.Answer {
    var isNone: Bool { if case .none = self { true } else { false } }
}

extension Finding {
    /// The finding in the form of `ExplorationCaseTests.Case.finds`.
    fileprivate var summary: String {
        let parts = [severity.rawValue, kind.rawValue, scene, part]
        var text = parts.compactMap(\.self).joined(separator: " ")
        let hasFlow: [Finding.Kind] = [.deadEnd, .refused, .appSceneAtLogin, .link]
        if hasFlow.contains(kind), let flow { text += " after \(flow.count)" }
        return text
    }
}
