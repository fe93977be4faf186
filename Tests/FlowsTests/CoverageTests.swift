import Testing

@testable import Flows

@Suite struct CoverageTests {
    /// The selections of the Library that a flow with these steps uses.
    private func selections(_ steps: String) async throws -> [String] {
        let folder = try FlowFolder()
        let file = try folder.write("name: A\nsteps: [{ sign-up: ada }, \(steps)]")
        let flows = try FlowReader.read([file])
        let apps = try LocalApps(flows, load: loadApp)
        let results = await apps.runner.run(flows)
        #expect(results.compactMap(\.failure?.reason) == [])
        let used = try #require(apps.coverage.first).used
        return used.filter { $0.kind == .select }.map(\.name).sorted()
    }

    @Test(
        "Each operation of a batch uses the scene that the operations before it have left",
        arguments: [
            ("{ select-row: { row: 0 } }, { select-row: { row: 0 } }", ["authors", "books"]),
            ("{ select-segment: 1 }, { select-row: { row: 0 } }", ["titles"]),
            (
                "{ present: titles }, { select-row: { row: 0, navigationController: \"@authors\" } }",
                ["authors"]
            ),
            (
                "{ select-row: { row: 0 } }, { tap: { place: row, index: 0 } }, back, back",
                ["authors", "books"]
            ),
        ])
    func batch(operations: String, expected: [String]) async throws {
        #expect(try await selections(operations) == expected)
        #expect(try await selections("{ batch: [\(operations)] }") == expected)
    }
}
