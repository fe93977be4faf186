import NavigationRules
import SessionStoreTesting
import TestSupport
import Testing

@testable import Sessions

@Suite("Forks of a session", .timeLimit(.minutes(10)))
struct ForkTests {
    @Test("A fork at any revision equals the session as it was")
    func forks() async throws {
        let fixture = try Fixture(.withoutLogin())
        let session = try await fixture.open()
        let revisions = try await fixture.walk(session, changes: 120)
        for revision in stride(from: 1, through: 121, by: 8) {
            let fork = try await fixture.directory.fork(session, at: revision).value
            let expected = try #require(revisions[revision]?.window)
            #expect(fork.session.window == expected.forked())
            #expect(fork.session.id != session.id)
            #expect(fork.session.revision == 1)
            let forked = try #require(
                try await fixture.restarted().session(
                    fork.session.id, token: fork.token.hash))
            let change = try await forked.push("detail")
            #expect(change.outcome.events.first?.seq == 1)
            #expect(try await forked.history.state(at: 1).window == expected.forked())
        }
        #expect(try await session.record().revision == 121)
    }

    @Test("A fork fails if its credential is revoked before it is stored", .everyStore)
    func forkDuringLogOut() async throws {
        let fixture = try Fixture(.withLogin())
        let session = try await fixture.open(for: "ada")
        let gate = Gate()
        fixture.store.hold(.insert, at: gate)
        let fork = Task { _ = try await fixture.directory.fork(session, at: nil) }
        await gate.waitForArrivals(1)
        _ = try await session.logOut()
        gate.open()
        await #expect(throws: SessionError.credentialRefused(.revoked)) { try await fork.value }
    }

    @Test(
        "A fork is logged in through the same credential, and not with a revoked one", .everyStore)
    func forkOfLogIn() async throws {
        let fixture = try Fixture(.withLogin())
        let session = try await fixture.open()
        _ = try await session.signUp("ada", "correct horse battery")
        _ = try await session.push("detail")
        let fork = try await fixture.directory.fork(session, at: 2).value
        #expect(fork.session.window.auth == .loggedIn(username: "ada"))
        #expect(fork.session.credential == (try await session.record()).credential)
        #expect(try await fixture.directory.fork(session, at: nil).value.session.scenes.count == 2)
        _ = try await session.perform(ChangeRequest(.logOut))
        await #expect(throws: SessionError.credentialRefused(.revoked)) {
            _ = try await fixture.directory.fork(session, at: 2)
        }
        let forked = try #require(
            try await fixture.directory.session(fork.session.id, token: fork.token.hash))
        #expect(try await forked.record().window.auth == .loggedOut)
    }

    @Test(
        "A fork of a log-in depends on its credential, also after the app has lost its log-in",
        .everyStore)
    func lostLogin() async throws {
        let fixture = try Fixture(.withLogin())
        try await fixture.signUp("ada", "correct horse battery")
        let (session, _) = try await fixture.logIn("ada", "correct horse battery")
        let directory = fixture.restarted(try .withoutLogin())
        let later = try await #require(directory.session(session.id))
        let fork = try await directory.fork(later, at: nil).value.session
        #expect(fork.window.auth == .loggedIn(username: "ada"))
        #expect(fork.credential == (try await session.record()).credential)
    }
}
