import TestSupport
import Testing
import WaypostCore

@testable import Accounts

@Suite("Log-ins that come too often", .timeLimit(.minutes(10)))
struct LogInRateLimitTests {
    private let clock = TestEnvironment()
    private let store = TestAccountStore()

    private func accounts(_ hasher: PasswordHasher) async throws -> Accounts {
        let accounts = Accounts(store: store, hasher: hasher, environment: clock.environment)
        let maker = Accounts(
            store: TestAccountStore(), hasher: try .cheap(), environment: clock.environment)
        for username in ["Ada", "disabled"] {
            var account = try await maker.signUp(username, "countess!")
            account.isDisabled = username == "disabled"
            store.insert(account)
        }
        return accounts
    }

    private func refusal(
        _ accounts: Accounts, _ username: String, _ password: String = "wrong one",
        from client: String? = nil
    ) async -> AccountError? {
        do throws(AccountError) {
            _ = try await accounts.logIn(username, password, from: client)
            return nil
        } catch {
            return error
        }
    }

    private static func throttled(_ policy: String, _ quota: Int, _ seconds: Int) -> AccountError {
        .throttled(
            RateLimitExceeded(
                policy: policy, quota: quota, window: nil, retryAfter: .seconds(seconds)))
    }

    @Test(
        "A name is slowed down alike whether there is such an account, a disabled one, or none",
        arguments: ["Ada", "disabled", "nobody", "?", "", String(repeating: "x", count: 60_000)])
    func alike(username: String) async throws {
        let accounts = try await accounts(.cheap())
        for seconds in [0, 0, 0, 0, 0, 1, 2, 4] {
            if seconds > 0 {
                let refusal = await refusal(accounts, username)
                #expect(refusal == Self.throttled("log-in-username", 5, seconds))
            }
            clock.advance(by: .seconds(seconds))
            #expect(await refusal(accounts, username) == .wrongCredentials)
        }
    }

    @Test("The right password has to wait like a wrong one, and then logs in")
    func rightPassword() async throws {
        let accounts = try await accounts(.cheap())
        for _ in 0..<5 { #expect(await refusal(accounts, "ada") == .wrongCredentials) }
        let throttled = Self.throttled("log-in-username", 5, 1)
        #expect(await refusal(accounts, "ada", "countess!") == throttled)
        clock.advance(by: .seconds(1))
        #expect(await refusal(accounts, "ada", "countess!") == nil)
        for _ in 0..<5 { #expect(await refusal(accounts, "ada") == .wrongCredentials) }
    }

    @Test("A username is throttled as one name in any case and Unicode form")
    func spelling() async throws {
        let accounts = try await accounts(.cheap())
        for name in ["ada", "ADA", "Ada", "ａｄａ", "aDA"] {
            #expect(await refusal(accounts, name) == .wrongCredentials)
        }
        #expect(await refusal(accounts, "adA") == Self.throttled("log-in-username", 5, 1))
    }

    @Test("Log-ins from an address that fails are slowed down for all names")
    func address() async throws {
        let accounts = try await accounts(.cheap())
        for number in 0..<20 {
            let refusal = await refusal(accounts, "user-\(number)", from: "192.0.2.1")
            #expect(refusal == .wrongCredentials)
        }
        let throttled = Self.throttled("log-in-address", 20, 1)
        #expect(await refusal(accounts, "ada", "countess!", from: "192.0.2.1") == throttled)
        #expect(await refusal(accounts, "ada", "countess!", from: "192.0.2.2") == nil)
    }

    @Test("Where no password can be looked at, no failure is counted")
    func busy() async throws {
        let accounts = try await accounts(.busy())
        for _ in 0..<30 {
            #expect(await refusal(accounts, "ada", from: "192.0.2.1") == .busy)
        }
        let failure = StorageError(reason: "the disk is gone")
        store.fail(failure)
        for _ in 0..<30 {
            #expect(await refusal(accounts, "ada", from: "192.0.2.1") == .storage(failure))
        }
    }

    @Test("The right password is no failure where there is no memory to check it")
    func noMemory() async throws {
        var hasher = try PasswordHasher.cheap()
        hasher.check = { _, _ in nil }
        let accounts = try await accounts(hasher)
        for _ in 0..<30 {
            #expect(await refusal(accounts, "ada", "countess!", from: "192.0.2.1") == .busy)
        }
    }
}
