import Testing

/// A case that cannot fail proves nothing.
@Suite struct CaseRunTests {
    private static let good = #"""
        {"id": "pop at the root", "storyboard": "lab", "steps": [
            ["start", {}, {"stack": "A", "session": {"revision": 1}}],
            ["pop", {}, {"status": 200, "changed": false, "stack": "A"}]]}
        """#

    private func run(_ line: String) async throws {
        let aCase = try #require(Case(line))
        let app = try ConformanceTests.app(aCase.storyboard)
        try await CaseRun.run(aCase, on: try CoreDriver(app, lifecycle: aCase.lifecycle))
    }

    @Test("A case whose expectations are met and whose members are known passes")
    func good() async throws {
        try await run(Self.good)
    }

    @Test(
        "A case with an unknown member, or with an expectation that is not met, fails",
        arguments: [
            (#""id":"#, #""note": "x", "id":"#), (#""changed": false"#, #""chnaged": false"#),
            (#""status": 200"#, #""status": 409"#), (#""changed": false"#, #""changed": true"#),
            (#""stack": "A"}"#, #""stack": "B"}"#), (#""stack": "A"}"#, #""stack": ["A"]}"#),
            (#""revision": 1"#, #""revision": 2"#),
            (#""session": {"#, #""sesion": {"#), (#"{"revision": 1}"#, #""revision""#),
            (#""status": 200"#, #""status": "200""#),
        ])
    func bad(_ member: String, _ other: String) async throws {
        let line = Self.good.replacing(member, with: other)
        try #require(line != Self.good)
        await withKnownIssue { try await run(line) }
    }
}
