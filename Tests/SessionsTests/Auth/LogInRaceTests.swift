import SessionStoreTesting
import TestSupport
import Testing

@testable import Sessions

/// Log-ins during which another request changes the account.
@Suite("Log-in races", .everyStore, .timeLimit(.minutes(10)))
struct LogInRaceTests {
    enum Change: CaseIterable {
        case newPassword, disabling, removal, newOwner

        func make(_ accounts: AccountDirectory) async throws {
            switch self {
            case .newPassword: try await accounts.resetPassword("ada", "analytical")
            case .disabling: try await accounts.setDisabled("ada", true)
            case .removal: try await accounts.remove("ada")
            case .newOwner:
                try await accounts.remove("ada")
                try await accounts.add("ada", "analytical")
            }
        }
    }

    private let fixture: Fixture

    init() throws {
        fixture = try Fixture(.withLogin())
    }

    /// Expects that the session still shows the login root, and that no credential was issued.
    private func expectNobody(
        in session: Session, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let record = try await session.current()
        #expect(record.window.root == .login, sourceLocation: sourceLocation)
        #expect(record.revision == 1, sourceLocation: sourceLocation)
        #expect(record.credential == nil, sourceLocation: sourceLocation)
        #expect(
            try await fixture.store.base.holds(record),
            sourceLocation: sourceLocation)
        let issued = try await fixture.store.base.credentials(
            of: try Username("ada"), at: fixture.clock.now, after: nil, limit: 10)
        #expect(issued.isEmpty, sourceLocation: sourceLocation)
    }

    @Test(
        "A log-in fails if the account changes while the password is verified",
        arguments: Change.allCases)
    func whileItIsVerified(change: Change) async throws {
        try await fixture.signUp("ada", "countess!")
        let session = try await fixture.open()
        let gate = Gate()
        fixture.store.holdResult(of: .account, at: gate)
        let logIn = Task { try await session.logIn("ada", "countess!") }
        await gate.waitForArrivals(1)
        fixture.store.holdResult(of: .account, at: nil)
        try await change.make(fixture.accountDirectory)
        gate.open()
        await #expect(throws: SessionError.wrongCredentials) { try await logIn.value }
        try await expectNobody(in: session)
    }

    @Test(
        "A log-in fails if the account changes before the log-in is stored",
        arguments: Change.allCases)
    func whileItIsStored(change: Change) async throws {
        try await fixture.signUp("ada", "countess!")
        let session = try await fixture.open()
        let gate = Gate()
        fixture.store.hold(.update, at: gate)
        let logIn = Task { try await session.logIn("ada", "countess!") }
        await gate.waitForArrivals(1)
        try await change.make(fixture.accountDirectory)
        gate.open()
        await #expect(throws: SessionError.wrongCredentials) { try await logIn.value }
        try await expectNobody(in: session)
    }

    @Test("A log-in with the new password succeeds if the password is set before it is checked")
    func newPassword() async throws {
        try await fixture.signUp("ada", "countess!")
        let (session, _) = (try await fixture.open(), ())
        let gate = Gate()
        fixture.store.hold(.account, at: gate)
        let logIn = Task { try await session.logIn("ada", "analytical").value }
        await gate.waitForArrivals(1)
        fixture.store.hold(.account, at: nil)
        try await fixture.accountDirectory.resetPassword("ada", "analytical")
        gate.open()
        #expect(try await logIn.value.session.window.auth == .loggedIn(username: "ada"))
    }

    @Test("Disabling an account right after a log-in logs the session out")
    func disabledRightAfter() async throws {
        try await fixture.signUp("ada", "countess!")
        let (session, credential) = try await fixture.logIn("ada", "countess!")
        try await fixture.accountDirectory.setDisabled("ada", true)
        #expect(try await session.current().window.root == .login)
        #expect(try await fixture.accountDirectory.authenticate(credential.text) == nil)
    }

    // MARK: Another cost of hashing

    /// Makes a directory whose passwords are hashed at another cost than the stored ones.
    private func rehashing() throws -> SessionDirectory {
        let hasher = try PasswordHasher(
            cost: PasswordHash.Cost(operations: 2, memory: 16_384), threads: 2)
        return SessionDirectory(
            SessionDependencies(
                app: fixture.service.app,
                accounts: Accounts(
                    store: fixture.store, hasher: hasher, environment: fixture.clock.environment),
                store: fixture.store, environment: fixture.clock.environment))
    }

    @Test("A log-in stores a hash with the new cost, which later log-ins use")
    func rehash() async throws {
        try await fixture.signUp("ada", "countess!")
        let old = try await #require(fixture.store.base.account(Username("ada")))
        let directory = try rehashing()
        var hashes: [PasswordHash] = []
        for _ in 0..<2 {
            let (record, token) = try await directory.opened()
            let session = try #require(try await directory.session(record.id, token: token.hash))
            _ = try await session.logIn("ada", "countess!").value
            hashes.append(try await #require(fixture.store.base.account(Username("ada"))).password)
        }
        #expect(hashes[0] != old.password)
        #expect(hashes[0].text.contains("m=16,t=2,p=1"))
        #expect(hashes[1] == hashes[0])
    }

    @Test("A log-in that cannot be stored keeps the old password hash")
    func noRehash() async throws {
        try await fixture.signUp("ada", "countess!")
        let old = try await fixture.store.base.account(try Username("ada"))
        let directory = try rehashing()
        let (record, token) = try await directory.opened()
        let session = try #require(try await directory.session(record.id, token: token.hash))
        fixture.store.fail(.update)
        await #expect(throws: SessionError.storage(ScriptedStore.failure)) {
            try await session.logIn("ada", "countess!")
        }
        #expect(try await fixture.store.base.account(Username("ada")) == old)
    }

    @Test("Concurrent log-ins that update the password hash all succeed", arguments: [2, 8])
    func rehashAtOnce(count: Int) async throws {
        try await fixture.signUp("ada", "countess!")
        let directory = try rehashing()
        let gate = Gate()
        fixture.store.hold(.update, at: gate)
        let logIns = try await withThrowingTaskGroup(of: Session?.self) { group in
            for _ in 0..<count {
                let (record, token) = try await directory.opened()
                group.addTask { try await directory.session(record.id, token: token.hash) }
            }
            return try await group.reduce(into: [Session]()) { $0 += [$1].compactMap(\.self) }
        }.map { session in Task { try await session.logIn("ada", "countess!").value } }
        await gate.waitForArrivals(count)
        gate.open()
        for logIn in logIns {
            #expect(try await logIn.value.session.window.auth == .loggedIn(username: "ada"))
        }
        let account = try await #require(fixture.store.base.account(Username("ada")))
        #expect(account.password.text.contains("m=16,t=2,p=1"))
    }
}
