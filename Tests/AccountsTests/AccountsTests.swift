import TestSupport
import Testing
import WaypostCore

@testable import Sessions

@Suite("Accounts", .timeLimit(.minutes(10)))
struct AccountsTests {
    private let clock = TestEnvironment()
    private let store = TestAccountStore()
    private let accounts: Accounts

    init() throws {
        accounts = Accounts(
            store: store, hasher: try .minimal(threads: 2), environment: clock.environment)
    }

    /// Signs up and stores the account, as a session does.
    private func signUp(_ username: String, _ password: String) async throws(SessionError) {
        store.insert(try await accounts.signUp(username, password))
    }

    // MARK: Signing up

    @Test("A user who has signed up can log in and keeps the name as signed up")
    func signUp() async throws {
        let account = try await accounts.signUp("Ada", "countess!")
        #expect(account.username.text == "Ada")
        #expect(account.createdAt == clock.now)
        store.insert(account)
        #expect(
            try await accounts.logIn("Ada", "countess!", from: nil).account.username.text == "Ada")
        #expect(
            try await accounts.logIn("aDA", "countess!", from: nil).account.username.text == "Ada")
    }

    @Test(
        "A password has 8 to 256 bytes in UTF-8",
        arguments: [
            ("", false), ("seven77", false), ("eight888", true), ("ééé7", false), ("éééé", true),
            (String(repeating: "x", count: 256), true), (String(repeating: "x", count: 257), false),
            (String(repeating: "é", count: 128), true), (String(repeating: "é", count: 129), false),
        ])
    func passwordSize(password: String, isTaken: Bool) async throws {
        do throws(SessionError) {
            _ = try await accounts.signUp("ada", password)
            #expect(isTaken)
        } catch {
            #expect(!isTaken)
            #expect(error == .invalidPassword("expected 8 to 256 bytes"))
        }
    }

    @Test("An invalid username is rejected, together with the defect of the password if it has one")
    func invalidUsername() async {
        await #expect(throws: SessionError.invalidUsername("expected 3 to 64 characters")) {
            try await accounts.signUp("ab", "countess!")
        }
        for (password, reason) in [
            ("short", "expected 8 to 256 bytes"),
            ("12345678", "one of the 10,000 most common passwords: choose another"),
        ] {
            let both = SessionError.invalidUsernameAndPassword(
                username: "expected 3 to 64 characters", password: reason)
            await #expect(throws: both) { try await accounts.signUp("ab", password) }
        }
    }

    @Test("A username is taken in any case, and the first password stays")
    func taken() async throws {
        try await signUp("ada", "first password")
        await #expect(throws: SessionError.usernameTaken) {
            try await accounts.signUp("ADA", "other password")
        }
        #expect(
            try await accounts.logIn("ada", "first password", from: nil).account.username.text
                == "ada")
        await #expect(throws: SessionError.wrongCredentials) {
            try await accounts.logIn("ada", "other password", from: nil)
        }
    }

    // MARK: Logging in

    @Test(
        "A wrong password, an unknown and an invalid username fail alike at log-in",
        arguments: [
            ("ada", "wrong password"), ("ada", ""), ("ada", "countess! "), ("bob", "countess!"),
            ("a", "countess!"), ("a b c", "countess!"), ("", ""),
            ("ada", String(repeating: "x", count: 1_000_000)),
        ])
    func wrong(username: String, password: String) async throws {
        try await signUp("ada", "countess!")
        await #expect(throws: SessionError.wrongCredentials) {
            try await accounts.logIn(username, password, from: nil)
        }
    }

    @Test("A password that only starts like the right one is wrong, however long it is")
    func longPassword() async throws {
        let password = String(repeating: "x", count: 256)
        try await signUp("ada", password)
        await #expect(throws: SessionError.wrongCredentials) {
            try await accounts.logIn("ada", password + "x", from: nil)
        }
    }

    @Test("An empty password with an unknown username does not log in")
    func decoy() async {
        await #expect(throws: SessionError.wrongCredentials) {
            try await accounts.logIn("nobody", "", from: nil)
        }
    }

    // MARK: Being busy

    @Test(
        "Log-in and sign-up fail as busy if no password can be hashed, and no name is taken")
    func busy() async throws {
        let accounts = Accounts(
            store: store, hasher: try .busy(), environment: clock.environment)
        for _ in 0..<2 {
            await #expect(throws: SessionError.passwordsBusy) {
                try await accounts.signUp("ada", "countess!")
            }
        }
        // An unknown name fails in the same way as a known one.
        for name in ["ada", "nobody", "?"] {
            await #expect(throws: SessionError.passwordsBusy) {
                try await accounts.logIn(name, "countess!", from: nil)
            }
        }
    }
    // MARK: A store that fails

    @Test("Log-in and sign-up fail with a storage error if the store cannot be read")
    func storageFailure() async throws {
        try await signUp("ada", "countess!")
        let failure = StorageError(reason: "the disk is gone")
        store.fail(failure)
        for name in ["ada", "nobody"] {
            await #expect(throws: SessionError.storage(failure)) {
                try await accounts.signUp(name, "countess!")
            }
            await #expect(throws: SessionError.storage(failure)) {
                try await accounts.logIn(name, "countess!", from: nil)
            }
        }
    }
}
