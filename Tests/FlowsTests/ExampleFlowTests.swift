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
        #expect(apps.coverage.count == 7)
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
            let runner = try RemoteService(service.base.absoluteString).runner {
                try loadApp($0).storyboard.name
            }
            #expect(failures(await runner.run(flows)) == [])
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
        let runner = try RemoteService(service.base.absoluteString).runner {
            try loadApp($0).storyboard.name
        }
        let results = await runner.run(flows)
        #expect(results.map(\.status) == [.skipped])
        #expect(results[0].reason == "the service runs Library, the flow needs Segments")
    }
}
