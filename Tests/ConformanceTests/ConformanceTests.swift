import AppDefinition
import Navigation
import SessionStoreTesting
import Testing
import WaypostTesting

@Suite struct ConformanceTests {
    @Test("There are at least 250 conformance cases") func count() {
        #expect(Case.all.count >= 250)
    }

    @Test("The navigation rules pass the conformance case", arguments: Case.all)
    func rules(_ aCase: Case) async throws {
        let app = try Self.app(aCase.storyboard)
        let driver = CoreDriver(app, lifecycle: aCase.lifecycle, isStrict: aCase.isStrict)
        try await CaseRun.run(aCase, on: driver)
    }

    @Test(
        "The navigation rules pass the conformance case with a restart after each operation",
        arguments: Case.all)
    func restarts(_ aCase: Case) async throws {
        let app = try Self.app(aCase.storyboard)
        try await CaseRun.run(
            aCase,
            on: CoreDriver(
                app, lifecycle: aCase.lifecycle, isStrict: aCase.isStrict, restartsOften: true))
    }

    @Test(
        "The service over HTTP passes the conformance cases of the storyboard", .everyStore,
        arguments: Set(Case.all.map(\.storyboard)).sorted())
    func service(_ storyboard: String) async throws {
        let service = try TestService(storyboard: Case.storyboardPath(storyboard))
        for aCase in Case.all where aCase.storyboard == storyboard {
            let driver = try await HTTPDriver(
                service, lifecycle: aCase.lifecycle, isStrict: aCase.isStrict, username: aCase.id)
            try await CaseRun.run(aCase, on: driver)
        }
    }

    static func app(_ storyboard: String) throws -> App {
        try AppFiles(storyboard: Case.storyboardPath(storyboard)).load().app
    }
}
