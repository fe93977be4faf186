import Synchronization
import TestSupport
import Testing

@testable import Sessions

/// The work of a log-in. It must be the same for all names, as its time is visible to strangers.
@Suite("Work of a log-in", .timeLimit(.minutes(10)))
struct LogInWorkTests {
    /// The check of one password, without the values that differ between accounts.
    private struct Work: Equatable {
        /// The algorithm and parameters: `$argon2id$v=19$m=8,t=1,p=1$`.
        let cost: String
        let size: Int
    }

    private final class Log: Sendable {
        private let entries = Mutex<[Work]>([])

        func note(_ hash: PasswordHash, _ size: Int) {
            let cost = hash.text.split(separator: "$").prefix(3).joined(separator: "$")
            entries.withLock { $0.append(Work(cost: cost, size: size)) }
        }

        func take() -> [Work] {
            entries.withLock { entries in
                defer { entries = [] }
                return entries
            }
        }
    }

    private let clock = TestEnvironment()
    private let store = TestAccountStore()
    private let log = Log()
    private let accounts: Accounts

    init() throws {
        var hasher = try PasswordHasher.minimal(threads: 2)
        hasher.check = { [log] hash, password in
            log.note(hash, password.count)
            return hash.verify(password)
        }
        accounts = Accounts(store: store, hasher: hasher, environment: clock.environment)
    }

    private func signUp(_ username: String, isDisabled: Bool = false) async throws {
        var account = try await accounts.signUp(username, "countess!")
        account.isDisabled = isDisabled
        store.insert(account)
    }

    @Test("A wrong password, an unknown or invalid name and a disabled account cost the same")
    func sameWork() async throws {
        try await signUp("ada")
        try await signUp("bob", isDisabled: true)
        let tries = [
            ("ada", "countess?"), ("bob", "countess?"), ("bob", "countess!"), ("eve", "countess!"),
            ("e", "countess!"), ("", "countess!"), ("e v e", "countess!"),
        ]
        for (username, password) in tries {
            await #expect(throws: SessionError.wrongCredentials) {
                try await accounts.logIn(username, password, from: "192.0.2.1")
            }
            #expect(
                log.take() == [Work(cost: "argon2id$v=19$m=8,t=1,p=1", size: 9)], "\(username)")
        }
    }

    @Test("An over-long password costs no more than one of 257 bytes")
    func longPassword() async throws {
        try await signUp("ada")
        for username in ["ada", "eve", "?"] {
            await #expect(throws: SessionError.wrongCredentials) {
                try await accounts.logIn(
                    username, String(repeating: "x", count: 60_000), from: nil)
            }
            #expect(log.take().map(\.size) == [257])
        }
    }

    @Test("A disabled account cannot log in until it is enabled")
    func disabled() async throws {
        try await signUp("ada", isDisabled: true)
        await #expect(throws: SessionError.wrongCredentials) {
            try await accounts.logIn("ada", "countess!", from: nil)
        }
        var account = try #require(try store.account(Username("ada")))
        account.isDisabled = false
        store.insert(account)
        #expect(try await accounts.logIn("ada", "countess!", from: nil).found == account)
    }

    // MARK: Another cost

    private static let other = PasswordHash.Cost(operations: 2, memory: 16_384)

    @Test("A password hash with another cost is replaced at the next log-in, once")
    func rehash() async throws {
        try await signUp("ada")
        let old = try #require(try store.account(Username("ada")))
        let hasher = try PasswordHasher(cost: Self.other, threads: 1)
        let accounts = Accounts(store: store, hasher: hasher, environment: clock.environment)

        let verified = try await accounts.logIn("ada", "countess!", from: nil)
        #expect(verified.found == old)
        #expect(verified.account.password.text.hasPrefix("$argon2id$v=19$m=16,t=2,p=1$"))
        #expect(verified.account.password.verify(Array("countess!".utf8)))
        var unchanged = verified.account
        unchanged.password = old.password
        #expect(unchanged == old)

        store.insert(verified.account)
        let again = try await accounts.logIn("ada", "countess!", from: nil)
        #expect(again.account == verified.account)
        #expect(again.found == verified.account)
    }

    @Test("A failed log-in does not replace the password hash")
    func noRehash() async throws {
        try await signUp("ada")
        try await signUp("bob", isDisabled: true)
        let hashes = Mutex(0)
        var hasher = try PasswordHasher(cost: Self.other, threads: 1)
        hasher.check = { hash, password in
            hashes.withLock { $0 += 1 }
            return hash.verify(password)
        }
        let accounts = Accounts(store: store, hasher: hasher, environment: clock.environment)
        for (username, password) in [("ada", "countess?"), ("bob", "countess!")] {
            await #expect(throws: SessionError.wrongCredentials) {
                try await accounts.logIn(username, password, from: nil)
            }
        }
        #expect(hashes.withLock(\.self) == 2)
    }
}
