import TestSupport
import Testing
import WaypostCore

@testable import Sessions

@Suite("Log-in rate limit", .timeLimit(.minutes(10)))
struct LogInRateLimitTests {
    private let clock = TestEnvironment()
    private let store = TestAccountStore()

    private func accounts(_ hasher: PasswordHasher) async throws -> Accounts {
        let accounts = Accounts(store: store, hasher: hasher, environment: clock.environment)
        let maker = Accounts(
            store: TestAccountStore(), hasher: try .minimal(threads: 2),
            environment: clock.environment)
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
    ) async -> SessionError? {
        do throws(SessionError) {
            _ = try await accounts.logIn(username, password, from: client)
            return nil
        } catch {
            return error
        }
    }

    private static func throttled(_ policy: String, _ quota: Int, _ seconds: Int) -> SessionError {
        .throttled(
            RateLimitExceeded(
                policy: policy, quota: quota, window: nil, retryAfter: .seconds(seconds)))
    }

    @Test(
        "Failed log-ins are delayed alike for enabled, disabled and unknown accounts",
        arguments: ["Ada", "disabled", "nobody", "?", "", String(repeating: "x", count: 60_000)])
    func alike(username: String) async throws {
        let accounts = try await accounts(.minimal(threads: 2))
        for seconds in [0, 0, 0, 0, 0, 1, 2, 4] {
            if seconds > 0 {
                let refusal = await refusal(accounts, username)
                #expect(refusal == Self.throttled("log-in-username", 5, seconds))
            }
            clock.advance(by: .seconds(seconds))
            #expect(await refusal(accounts, username) == .wrongCredentials)
        }
    }

    @Test("The right password must wait out the delay, and then logs in")
    func rightPassword() async throws {
        let accounts = try await accounts(.minimal(threads: 2))
        for _ in 0..<5 { #expect(await refusal(accounts, "ada") == .wrongCredentials) }
        let throttled = Self.throttled("log-in-username", 5, 1)
        #expect(await refusal(accounts, "ada", "countess!") == throttled)
        clock.advance(by: .seconds(1))
        #expect(await refusal(accounts, "ada", "countess!") == nil)
        for _ in 0..<5 { #expect(await refusal(accounts, "ada") == .wrongCredentials) }
    }

    @Test("The log-in limit treats a username in any case and Unicode form as one")
    func spelling() async throws {
        let accounts = try await accounts(.minimal(threads: 2))
        for name in ["ada", "ADA", "Ada", "ａｄａ", "aDA"] {
            #expect(await refusal(accounts, name) == .wrongCredentials)
        }
        #expect(await refusal(accounts, "adA") == Self.throttled("log-in-username", 5, 1))
    }

    @Test("Failures of an address delay its log-ins for all usernames")
    func address() async throws {
        let accounts = try await accounts(.minimal(threads: 2))
        for number in 0..<20 {
            let refusal = await refusal(accounts, "user-\(number)", from: "192.0.2.1")
            #expect(refusal == .wrongCredentials)
        }
        let throttled = Self.throttled("log-in-address", 20, 1)
        #expect(await refusal(accounts, "ada", "countess!", from: "192.0.2.1") == throttled)
        #expect(await refusal(accounts, "ada", "countess!", from: "192.0.2.2") == nil)
    }

    @Test("A log-in whose password cannot be checked is not counted as a failure")
    func busy() async throws {
        let accounts = try await accounts(.busy())
        for _ in 0..<30 {
            #expect(await refusal(accounts, "ada", from: "192.0.2.1") == .passwordsBusy)
        }
        let failure = StorageError(reason: "the disk is gone")
        store.fail(failure)
        for _ in 0..<30 {
            #expect(await refusal(accounts, "ada", from: "192.0.2.1") == .storage(failure))
        }
    }
}
