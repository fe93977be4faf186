import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Sessions

/// Concurrent log-ins of several clients with a single hashing thread.
@Suite("Fair log-in queue", .timeLimit(.minutes(10)))
struct FairLogInTests {
    /// Checks passwords when the test allows it, and records them.
    private final class Checks: Sendable {
        private let passwords = Mutex<[String]>([])
        private let permits = DispatchSemaphore(value: 0)

        var made: [String] { passwords.withLock(\.self) }

        func check(_ hash: PasswordHash, _ password: [UInt8]) -> Bool {
            passwords.withLock { $0.append(String(decoding: password, as: UTF8.self)) }
            permits.wait()
            return hash.verify(password)
        }

        func allow(_ count: Int) { for _ in 0..<count { permits.signal() } }
    }

    private let clock = TestEnvironment()
    private let store = TestAccountStore()
    private let checks = Checks()
    private let metrics = HashingMetrics()
    private let accounts: Accounts

    init() async throws {
        let maker = Accounts(
            store: TestAccountStore(), hasher: try .minimal(threads: 2),
            environment: clock.environment)
        for username in ["ada", "eve"] {
            store.insert(try await maker.signUp(username, "password of \(username)"))
        }
        var hasher = try PasswordHasher(cost: .least, threads: 1, metrics: metrics)
        hasher.check = { [checks] in checks.check($0, $1) }
        accounts = Accounts(store: store, hasher: hasher, environment: clock.environment)
    }

    /// Logs in.
    /// - Returns: nil if the password is right.
    private func logIn(
        _ username: String, _ password: String, from client: String
    ) async -> SessionError? {
        do throws(SessionError) {
            _ = try await accounts.logIn(username, password, from: client)
            return nil
        } catch {
            return error
        }
    }

    /// Starts log-ins that fill the queue behind one in progress.
    private func occupy(
        _ count: Int, _ logIn: @escaping @Sendable (Int) async -> SessionError?
    ) async -> [Task<SessionError?, Never>] {
        let first = Task { await logIn(0) }
        await until { !checks.made.isEmpty }
        let others = (1...count).map { number in Task { await logIn(number) } }
        await until { metrics.waiting.value >= count }
        return [first] + others
    }

    @Test("An account has at most 8 places in the hashing queue")
    func oneAccount() async throws {
        let occupied = await occupy(8) { _ in
            await logIn("eve", "password of eve", from: "192.0.2.1")
        }
        let refused = SessionError.throttled(
            RateLimitExceeded(
                policy: "passwords-account", quota: 8, window: nil, retryAfter: .seconds(1)))
        for client in ["192.0.2.1", "192.0.2.2"] {
            #expect(await logIn("eve", "password of eve", from: client) == refused)
        }
        let victim = Task { await logIn("ada", "password of ada", from: "192.0.2.3") }
        await until { metrics.waiting.value >= 9 }
        checks.allow(3)
        #expect(await victim.value == nil)
        // The three are the one in progress, a waiting one, and the victim's.
        #expect(checks.made.prefix(3).last == "password of ada")
        checks.allow(7)
        for task in occupied { #expect(await task.value == nil) }
    }

    @Test("An address has at most 16 places in the hashing queue, and another client comes next")
    func oneAddress() async throws {
        let occupied = await occupy(16) { number in
            await logIn("nobody\(number)", "a guess", from: "192.0.2.1")
        }
        let refused = SessionError.throttled(
            RateLimitExceeded(
                policy: "passwords-address", quota: 16, window: nil, retryAfter: .seconds(1)))
        #expect(await logIn("ada", "password of ada", from: "192.0.2.1") == refused)
        let victim = Task { await logIn("ada", "password of ada", from: "192.0.2.3") }
        await until { metrics.waiting.value >= 17 }
        checks.allow(3)
        #expect(await victim.value == nil)
        #expect(checks.made.prefix(3).last == "password of ada")
        checks.allow(15)
        for task in occupied { #expect(await task.value == .wrongCredentials) }
    }

    @Test("In a full hashing queue a new client replaces work of the client with the most")
    func full() async throws {
        // One log-in is in progress and 64 wait: 16 from each of four addresses.
        let first = Task { await logIn("nobody", "a guess", from: "192.0.2.9") }
        await until { !checks.made.isEmpty }
        let (results, finish) = AsyncStream.makeStream(of: SessionError?.self)
        for number in 0..<64 {
            Task {
                finish.yield(
                    await logIn("nobody\(number)", "a guess", from: "192.0.2.\(1 + number % 4)"))
            }
        }
        await until { metrics.waiting.value >= 64 }
        let victim = Task { await logIn("ada", "password of ada", from: "192.0.2.5") }
        var result = results.makeAsyncIterator()
        // No other log-in can have finished.
        #expect(await result.next() == .passwordsBusy)
        #expect(metrics.waiting.value == 64)
        // The six are the one in progress, one of each of the four addresses, and the victim's.
        checks.allow(6)
        #expect(await victim.value == nil)
        #expect(checks.made.prefix(6).last == "password of ada")
        checks.allow(59)
        #expect(await first.value == .wrongCredentials)
        for _ in 0..<63 { #expect(await result.next() == .wrongCredentials) }
    }
}
