import Foundation
import SQLiteStore
import Sessions
import TestSupport
import Testing
import WaypostTesting

@testable import Flows

/// The flows in `Examples/Flows`.
@Suite struct ExampleFlowTests {
    private static let folder = Shell.checkout.appending(path: "Examples/Flows").path

    private func flows() throws -> [Flow] {
        try FlowReader.read(FlowRunner.files(in: [Self.folder]))
    }

    private func failures(_ results: [FlowResult]) -> [String] {
        results.filter { $0.status != .passed }.map { result in
            "\(result.flow.name): \(result.failureText)"
        }
    }

    @Test("They pass in the process, and use every part of every app") func local() async throws {
        let flows = try flows()
        let apps = try LocalApps(flows, load: loadApp)
        #expect(failures(await apps.runner.run(flows)) == [])
        #expect(apps.coverage.flatMap(\.unused) == [])
        #expect(apps.coverage.count == 8)
    }

    @Test("They pass over HTTP too", arguments: ["memory", "sqlite"])
    func remote(store: String) async throws {
        let files = try TemporaryFolder()
        for (app, flows) in Dictionary(grouping: try flows(), by: \.app) {
            let service = try TestService(
                storyboard: app,
                store: store == "memory"
                    ? MemoryStore()
                    : SQLiteStore(path: files.file("\(UUID().uuidString).sqlite")))
            #expect(failures(try await runner(of: flows, against: service).run(flows)) == [])
        }
    }

    /// Returns a flow with an expectation after each step of all that a step can show. No session meets
    /// them, so that the result has all that was found.
    private func showingAll(_ flow: Flow) -> Flow {
        let keys = Expectation.names + ["screen.kind", "toolbar", "segmentedControl"]
        let steps = flow.steps.map { step in
            Step(
                action: step.action, refused: step.refused,
                expectations: keys.map {
                    Expectation(key: $0, value: .string("not this"), place: step.place)
                }, text: step.text, place: step.place)
        }
        return Flow(
            name: flow.name, app: flow.app, lifecycle: flow.lifecycle, isStrict: flow.isStrict,
            tags: flow.tags, steps: steps, place: flow.place)
    }

    /// Runs flows to their ends.
    /// - Returns: what was found after each step.
    private func found(_ flows: [Flow], by runner: FlowRunner) async -> [String] {
        var runner = runner
        runner.goesOn = true
        return await runner.run(flows.map(showingAll)).flatMap { result in
            result.mismatches.map {
                "\(result.flow.name): line \($0.expectation.place.line): "
                    + "\($0.expectation.key): \($0.found)"
            }
        }
    }

    @Test(
        "Each step shows the same in the process and over HTTP", arguments: ["memory", "sqlite"])
    func parity(store: String) async throws {
        let files = try TemporaryFolder()
        for (app, flows) in Dictionary(grouping: try flows(), by: \.app) {
            let local = await found(flows, by: try LocalApps(flows, load: loadApp).runner)
            let service = try TestService(
                storyboard: app,
                store: store == "memory"
                    ? MemoryStore()
                    : SQLiteStore(path: files.file("\(UUID().uuidString).sqlite")))
            let remote = await found(flows, by: try runner(of: flows, against: service))
            let different = zip(local, remote).filter { $0 != $1 }
            #expect(different.isEmpty, "\(different)")
            #expect(local.count == remote.count)
            let steps = flows.map(\.steps.count).reduce(0, +)
            #expect(local.count >= steps * Expectation.names.count)
        }
    }

    @Test("Each of Examples/Patterns has flows") func patterns() throws {
        let apps = Set(try flows().compactMap { $0.app?.split(separator: "/").last })
        let folder = Shell.checkout.appending(path: "Examples/Patterns").path
        let patterns = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(patterns.filter { !apps.contains(Substring($0)) } == [])
    }

    @Test("A flow of another app is skipped by a service, with the reason") func otherApp()
        async throws
    {
        let service = try TestService()
        let flows = try flows().filter { $0.app?.hasSuffix("Segments.json") == true }
        let results = try await runner(of: flows, against: service).run(flows)
        #expect(results.map(\.status) == [.skipped])
        #expect(results[0].reason?.hasPrefix("the service runs Library, the flow needs ") == true)
        #expect(results[0].reason?.hasSuffix("Patterns/Segments.json") == true)
    }

    @Test("A flow of another storyboard with the same name is skipped by a service")
    func sameName() async throws {
        let library = Shell.checkout.appending(path: "Examples/Patterns/Library.json").path
        let flows = try flows().filter { $0.app?.hasSuffix("Patterns/Library.json") == true }
        try #require(!flows.isEmpty)
        #expect(try loadApp(nil).storyboard.name == loadApp(library).storyboard.name)
        for (storyboard, status) in [(nil, FlowResult.Status.skipped), (library, .passed)] {
            let service = try TestService(storyboard: storyboard)
            let results = try await runner(of: flows, against: service).run(flows)
            #expect(results.allSatisfy { $0.status == status }, "\(results)")
            guard status == .skipped else { continue }
            #expect(
                results[0].reason?.hasPrefix("the service runs another Library, the flow needs ")
                    == true)
        }
    }

    @Test("A flow that names no app tests the storyboard of the option, or else any in a service")
    func defaultApp() async throws {
        let service = try TestService()
        let segments = Shell.checkout.appending(path: "Examples/Patterns/Segments.json").path
        let folder = try FlowFolder()
        let flows = try FlowReader.read([folder.write("name: A\nsteps: [pop]")])
        for (storyboard, status) in [(nil, FlowResult.Status.passed), (segments, .skipped)] {
            let runner = try runner(of: flows, storyboard: storyboard, against: service)
            #expect(await runner.run(flows).map(\.status) == [status])
        }
        #expect(throws: (any Error).self) {
            _ = try runner(of: flows, storyboard: "/none.json", against: service)
        }
    }
}
