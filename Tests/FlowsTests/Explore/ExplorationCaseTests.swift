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

    @Test("An exploration finds exactly what a case has", arguments: cases)
    func findings(each: Case) throws {
        var exploration = Exploration(try Self.app(of: each))
        let report = exploration.run()
        #expect(report.findings.map(\.summary).sorted() == each.finds.sorted())
        #expect(report.isComplete == !each.finds.contains { $0.hasPrefix("unknown ") })
        for finding in report.findings where finding.kind == .deadEnd {
            let scene = finding.scene ?? ""
            let path = try #require(exploration.deadEnds[scene])
            #expect(path.count == finding.flow?.count)
            let end = try #require(exploration.window(after: path))
            #expect(end.topViewController.scene.name == scene)
            var walk = BruteForce(exploration, BruteForce.Bounds(height: 25, layers: 20))
            #expect(walk.leadsToRoot(from: end) != true)
        }
    }

    @Test("Each flow to what an exploration reached passes", arguments: cases)
    func flows(each: Case) async throws {
        let app = try Self.app(of: each)
        var exploration = Exploration(app)
        _ = exploration.run()
        let folder = try FlowFolder()
        let files = try exploration.flows().map { try folder.write($0.text, $0.file) }
        let apps = try LocalApps(FlowReader.read(files)) { _ in app }
        let results = try await apps.runner.run(FlowReader.read(files))
        #expect(results.compactMap(\.failure?.reason) == [])
    }
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
