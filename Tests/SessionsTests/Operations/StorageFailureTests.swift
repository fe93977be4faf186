import NavigationRules
import SessionStoreTesting
import Testing

@testable import Sessions

@Suite("Store failures", .everyStore, .timeLimit(.minutes(10)))
struct StorageFailureTests {
    private let fixture: Fixture
    private let failed = SessionError.storage(ScriptedStore.failure)

    init() throws {
        fixture = try Fixture(.withLogin())
    }

    @Test("If the store fails, a change leaves the session unchanged and the next one succeeds")
    func change() async throws {
        let session = try await fixture.open(for: "ada")
        let before = try await session.record()
        let events = try await session.allEvents()
        fixture.clock.advance(by: .seconds(1))
        fixture.store.fail(.update)
        for _ in 0..<3 {
            await #expect(throws: failed) { try await session.push("detail") }
        }
        let after = try await session.record()
        #expect(after.revision == before.revision)
        #expect(after.expiresAt == before.expiresAt)
        #expect(after.window.viewControllers == before.window.viewControllers)
        #expect(after.window.lastEvent == before.window.lastEvent)
        #expect(try await session.allEvents() == events)

        fixture.store.fail()
        let change = try await session.push("detail")
        #expect(change.session.revision == 2)
        #expect(change.session.window.topViewController.id == ViewController.ID(number: 2))
        #expect(change.outcome.events.first?.seq == before.window.lastEvent + 1)
    }

    @Test("If the store fails, no session is opened")
    func open() async throws {
        fixture.store.fail(.insert)
        await #expect(throws: failed) { try await fixture.directory.opened() }
    }

    @Test("If the store fails, a session that is not in memory is an error, not unknown")
    func read() async throws {
        let (record, token) = try await fixture.directory.opened()
        let directory = fixture.restarted()
        fixture.store.fail(.session)
        await #expect(throws: failed) { try await directory.session(record.id, token: token.hash) }
        fixture.store.fail()
        #expect(try await directory.session(record.id, token: token.hash) != nil)
    }

    @Test("If the store fails, a session can be read but not its events")
    func events() async throws {
        let session = try await fixture.open()
        fixture.store.fail(.events)
        await #expect(throws: failed) { try await session.history.events(after: 0, limit: 1) }
        #expect(try await session.record().revision == 1)
    }

    @Test("If the store fails, a session that should end lives on")
    func end() async throws {
        let session = try await fixture.open(for: "ada")
        fixture.store.fail(.delete)
        await #expect(throws: failed) { try await fixture.directory.end(session) }
        fixture.store.fail()
        #expect(try await session.push("detail").session.revision == 2)
    }

    @Test("If the store fails, a log-in leaves the session at the login root")
    func logIn() async throws {
        try await fixture.signUp("ada", "countess!")
        let session = try await fixture.open()
        fixture.store.fail(.update)
        let credential = fixture.clock.foresee(.credential)
        await #expect(throws: failed) { try await session.logIn("ada", "countess!") }
        let record = try await session.record()
        #expect(record.window.root == .login)
        #expect(record.revision == 1)
        #expect(record.credential == nil)
        await #expect(throws: CredentialRefusal.unknown) {
            try await fixture.username(of: credential)
        }

        fixture.store.fail()
        #expect(try await session.logIn("ada", "countess!").value.session.window.root == .app)
    }

    @Test("If the store fails, a sign-up creates no account and the name stays free")
    func signUp() async throws {
        let session = try await fixture.open()
        fixture.store.fail(.update)
        let credential = fixture.clock.foresee(.credential)
        await #expect(throws: failed) { try await session.signUp("ada", "countess!") }
        #expect(try await fixture.store.base.account(Username("ada")) == nil)
        #expect(try await fixture.stored(credential) == nil)
        #expect(try await session.record().window.root == .login)

        fixture.store.fail()
        let change = try await session.signUp("ada", "other password").value
        #expect(change.session.window.auth == .loggedIn(username: "ada"))
    }

    @Test("If accounts cannot be read, a log-in fails with a storage error, not wrong credentials")
    func accounts() async throws {
        try await fixture.signUp("ada", "countess!")
        let session = try await fixture.open()
        fixture.store.fail(.account, .credential)
        let failed = SessionError.storage(ScriptedStore.failure)
        await #expect(throws: failed) { try await session.logIn("ada", "countess!") }
        await #expect(throws: failed) { try await session.signUp("bob", "countess!") }
        let credential = try await fixture.issueCredential(to: "ada").text
        await #expect(throws: self.failed) {
            try await fixture.directory.opened(credential: credential)
        }
        #expect(try await session.record().revision == 1)
    }

    @Test(
        "If the store fails, a log-out leaves the session logged in and its credential valid")
    func logOut() async throws {
        let session = try await fixture.open()
        let credential = try #require(
            try await session.signUp("ada", "countess!").value.credential)
        fixture.store.fail(.update)
        await #expect(throws: failed) { try await session.logOut() }
        #expect(try await session.record().window.auth == .loggedIn(username: "ada"))
        #expect(try await fixture.username(of: credential) == "ada")
    }
}
