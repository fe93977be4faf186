import Library
import Navigation
import Testing
import WaypostTesting

@Suite struct ConformanceTests {
    @Test func thereAreCases() {
        #expect(Case.all.count >= 140)
    }

    @Test(arguments: Case.all) func theRulesKeep(_ aCase: Case) async throws {
        let app = try Self.app(aCase.storyboard)
        try await CaseRun.run(aCase, on: CoreDriver(app, lifecycle: aCase.lifecycle))
    }

    @Test(.everyStore, arguments: Set(Case.all.map(\.storyboard)).sorted())
    func theServiceKeepsTheRulesOverHTTP(_ storyboard: String) async throws {
        let service = try TestService(storyboard: Case.storyboardPath(storyboard))
        for aCase in Case.all where aCase.storyboard == storyboard {
            let driver = try await HTTPDriver(
                service.base, lifecycle: aCase.lifecycle, username: aCase.id)
            try await CaseRun.run(aCase, on: driver)
        }
    }

    static func app(_ storyboard: String) throws -> App {
        try AppFiles(storyboard: Case.storyboardPath(storyboard)).load().app
    }
}
