import AppDefinition
import AppLoading
import Foundation
import JSON
import NavigationRules
import SessionStoreTesting
import Synchronization
import TestSupport
import Testing
import WaypostCore
import WaypostTesting

@Suite struct ConformanceTests {
    @Test("There are at least 411 conformance cases, no two with the same name") func count() {
        #expect(Case.all.count >= 411)
        #expect(Set(Case.all.map(\.id)).count == Case.all.count)
    }

    @Test("There are at least 234 facts about UIKit, each with its source") func facts() throws {
        #expect(Case.facts.count >= 234)
        #expect(Set(Case.facts.map(\.id)).count == Case.facts.count)
        #expect(Case.facts.allSatisfy { $0.source?.isEmpty == false })
    }

    @Test("The navigation rules agree with the fact about UIKit", arguments: Case.facts)
    func fact(_ fact: Case) async throws {
        let driver = try CoreDriver(Self.app(fact), lifecycle: fact.lifecycle)
        try await CaseRun.run(fact, on: driver)
    }

    @Test("The navigation rules pass the conformance case", arguments: Case.all)
    func rules(_ aCase: Case) async throws {
        let app = try Self.app(aCase)
        let driver = try CoreDriver(
            app, lifecycle: aCase.lifecycle, isStrict: aCase.isStrict, flags: aCase.flags)
        try await CaseRun.run(aCase, on: driver)
    }

    @Test(
        "The navigation rules pass the conformance case with a restart after each operation",
        arguments: Case.all)
    func restarts(_ aCase: Case) async throws {
        let app = try Self.app(aCase)
        try await CaseRun.run(
            aCase,
            on: try CoreDriver(
                app, lifecycle: aCase.lifecycle, isStrict: aCase.isStrict, flags: aCase.flags,
                restartsOften: true))
    }

    /// Each step on the store in memory is checked like one of the rules. With another store, each
    /// answer must be that of the rules; what is stored is read after the last step.
    @Test(
        "The service over HTTP passes the conformance cases of the storyboard", .everyStore,
        arguments: Set(Case.all.map(\.storyboard)).sorted())
    func service(_ storyboard: String) async throws {
        let service = try TestService(storyboard: Case.storyboardPath(storyboard))
        var stored: [StoreDriver] = []
        for aCase in Case.withoutTwins where aCase.storyboard == storyboard {
            let driver = try await HTTPDriver(
                service, lifecycle: aCase.lifecycle, isStrict: aCase.isStrict, flags: aCase.flags,
                username: aCase.id)
            if StoreKind.current == .memory {
                try await CaseRun.run(aCase, on: driver)
                #expect(try await driver.wholeLog() == driver.events(), "\(aCase.id)")
            } else {
                let both = try StoreDriver(driver, aCase)
                try await CaseRun.run(aCase, on: both)
                try await both.check("\(aCase.id), the end")
                stored.append(both)
            }
        }
        // A service that has not read the sessions before.
        let second = try TestService(
            storyboard: Case.storyboardPath(storyboard), store: service.store)
        for driver in stored {
            guard driver.storyboard == storyboard else {
                // The case has gone on with another storyboard.
                try await driver.restart(driver.storyboard)
                continue
            }
            driver.move(to: second)
            try await driver.check("\(driver.id), read again")
        }
    }

    @Test("Cases that differ in the order of their events alone are left out over HTTP")
    func twins() {
        #expect(Case.all.count - Case.withoutTwins.count >= 10)
    }

    private static let apps = Mutex<[String: App]>([:])

    /// The app of a case, in the version of iOS that the case names. Cases share an app, which
    /// never changes.
    static func app(_ aCase: Case) throws -> App {
        let key = "\(aCase.storyboard) \(aCase.uikit ?? 0)"
        if let app = apps.withLock({ $0[key] }) { return app }
        let app = try load(aCase)
        apps.withLock { $0[key] = app }
        return app
    }

    private static func load(_ aCase: Case) throws -> App {
        guard let uikit = aCase.uikit else { return try app(aCase.storyboard) }
        let data = try Data(contentsOf: URL(filePath: Case.storyboardPath(aCase.storyboard)))
        guard case .object(let object) = try JSONValue(parsing: Array(data), maximumDepth: 32)
        else { preconditionFailure("a storyboard is an object") }
        let members =
            object.members.filter { $0.name != "uikit" }
            + [.init(name: "uikit", value: .integer(uikit))]
        let folder = try TemporaryFolder()
        var json = JSONWriter()
        json.write(.object(JSONObject(members: members)))
        let file = URL(filePath: folder.path + "/storyboard.json")
        try Data(json.bytes).write(to: file)
        return try AppFiles(storyboard: file.path).load().app
    }

    /// Loads the app of a storyboard anew, as a service that starts does.
    static func app(_ storyboard: String) throws -> App {
        try AppFiles(storyboard: Case.storyboardPath(storyboard)).load().app
    }
}
