import NavigationRules
import TestSupport
import Testing
import WaypostCore

@testable import Sessions

/// The events that end a credential, except the removal of the account.
enum CredentialEnding: CaseIterable {
    case logOutElsewhere, revocation, passwordChange, disabling, passwordReset, expiry

    var refusal: CredentialRefusal { self == .expiry ? .expired : .revoked }
    var leavesPassword: Bool {
        [.logOutElsewhere, .revocation, .expiry].contains(self)
    }
}

/// A suite of tests in which credentials end.
protocol FallBackSuite {
    var fixture: Fixture { get }
}

extension Fixture {
    /// Sessions live longer than credentials, so that a credential can expire before its session.
    static func forFallBack() throws -> Fixture {
        try Fixture(.withLogin(), sessionTTL: Fixture.credentialTTL * 2)
    }

    /// Records revocations of Bob's credentials, like his log-outs in as many sessions.
    func noteRevocations(_ numbers: some Sequence<Int>) throws {
        let bob = try Username("bob")
        for number in numbers {
            service.revocations.note(.credential(SecretHash(of: "bob \(number)"), of: bob))
        }
    }
}

extension FallBackSuite {
    /// Ends a credential, from another session or with another credential where that is needed.
    func end(_ credential: Secret, _ ending: CredentialEnding) async throws {
        let accounts = fixture.accountDirectory
        switch ending {
        case .logOutElsewhere:
            let (record, token) = try await fixture.directory.opened(credential: credential.text)
            let other = try #require(
                try await fixture.directory.session(record.id, token: token.hash))
            _ = try await other.logOut()
        case .revocation:
            let holder = try await fixture.holder(of: fixture.logIn("ada", "countess!").credential)
            let id = Credential(
                hash: credential.hash, username: holder.account.username, session: nil,
                createdAt: fixture.clock.now, expiresAt: fixture.clock.now
            ).id
            _ = try await accounts.revoke(id, of: holder).value
        case .passwordChange:
            let holder = try await fixture.holder(of: fixture.logIn("ada", "countess!").credential)
            _ = try await accounts.changePassword(
                of: holder, from: "countess!", to: "analytical", client: nil
            ).value
        case .disabling: try await accounts.setDisabled("ADA", true)
        case .passwordReset: try await accounts.resetPassword("ADA", "analytical")
        case .expiry: fixture.clock.advance(by: Fixture.credentialTTL)
        }
    }

    /// Opens a session with two view controllers on the stack, logged in as Ada.
    func loggedIn() async throws -> (session: Session, credential: Secret) {
        try await fixture.signUp("ada", "countess!")
        let (session, credential) = try await fixture.logIn("ada", "countess!")
        _ = try await session.push("detail")
        return (session, credential)
    }

    /// Expects that the session shows the login root, one revision after `before`, and that its log
    /// contains the transition.
    func expectFallBack(
        of session: Session, from before: SessionState, _ refusal: CredentialRefusal = .revoked,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let record = try await session.current()
        #expect(record.window.auth == .loggedOut, sourceLocation: sourceLocation)
        #expect(record.window.root == .login, sourceLocation: sourceLocation)
        #expect(record.scenes == ["logIn"], sourceLocation: sourceLocation)
        #expect(record.revision == before.revision + 1, sourceLocation: sourceLocation)
        #expect(record.credential == nil, sourceLocation: sourceLocation)
        #expect(record.credentialRefusal == refusal, sourceLocation: sourceLocation)
        let last = before.window.lastEvent
        let events = try await session.history.events(after: last, limit: .max).page.events
        #expect(
            events.map { "\($0.kind) \($0.scene)" } == [
                "viewDidLoad logIn", "willShow logIn", "viewWillDisappear detail",
                "viewWillAppear logIn", "didShow logIn", "viewDidDisappear detail",
                "viewDidAppear logIn",
            ], sourceLocation: sourceLocation)
        #expect(events.map(\.seq) == Array(last + 1...last + 7), sourceLocation: sourceLocation)
        #expect(
            events.allSatisfy { $0.revision == record.revision && !$0.animated },
            sourceLocation: sourceLocation)
        #expect(
            try await fixture.store.base.holds(record),
            sourceLocation: sourceLocation)
    }
}
