import JSON
import SessionStoreTesting
import TestSupport
import Testing
import WaypostAPI
import WaypostCore
import WaypostTesting

/// Tests of requests with a password that are repeated with the `Idempotency-Key` of the right
/// password. The response reveals whether the password is the same.
@Suite("Passwords in repeated requests", .timeLimit(.minutes(10)), .everyStore)
struct KeyedGuessTests {
    private static let password = "a long password"
    private let clock = TestEnvironment()
    private let service: TestService

    init() throws {
        service = try TestService(environment: clock.environment)
    }

    /// A request whose password an attacker tries to guess.
    private struct Target: Sendable {
        let method: String
        let path: String
        let token: String
        /// Returns the body with a password.
        let body: @Sendable (String) -> String
    }

    private func send(
        _ target: Target, _ password: String, from peer: String? = nil
    ) async throws -> Reply {
        try await service.api.send(
            target.method, target.path, target.body(password), token: target.token,
            headers: ["Idempotency-Key": "key"], from: peer)
    }

    enum Route: CaseIterable {
        case logIn, signUp, changePassword, removeAccount
    }

    /// Sends the request once with the right password.
    /// - Returns: the request for further guesses.
    private func target(_ route: Route, _ username: String = "ada") async throws -> Target {
        let client = try await Client(service.api)
        let body: @Sendable (String) -> String = {
            #"{"username": "\#(username)", "password": "\#($0)"}"#
        }
        let session = { (path: String) in
            Target(
                method: "POST", path: "/v1/sessions/\(client.id)/\(path)", token: client.token,
                body: body)
        }
        let target: Target
        switch route {
        case .signUp: target = session("sign-up")
        case .logIn:
            try await service.accounts.add(username, Self.password)
            target = session("log-in")
        case .changePassword, .removeAccount:
            let signedUp = try await client.send("POST", "sign-up", body(Self.password))
            let credential = try #require(signedUp.json["credential"]?.text)
            target =
                route == .removeAccount
                ? Target(method: "POST", path: "/v1/account/delete", token: credential) {
                    #"{"password": "\#($0)"}"#
                }
                : Target(method: "PUT", path: "/v1/account/password", token: credential) {
                    #"{"oldPassword": "\#($0)", "newPassword": "another password"}"#
                }
        }
        #expect((200...204).contains(try await send(target, Self.password).status))
        return target
    }

    @Test("A repeated request with another password is a wrong password and is rate-limited")
    func slowedDown() async throws {
        for (number, route) in Route.allCases.enumerated() {
            let target = try await target(route, "user-\(number)")
            for guess in 0..<5 {
                let reply = try await send(target, "guess \(guess)", from: "192.0.2.\(guess)")
                #expect(reply.code == "idempotency-key-reused", "\(route)")
            }
            // The right password is refused, too, because its acceptance would reveal it.
            for password in ["guess", Self.password] {
                let refused = try await send(target, password, from: "192.0.2.9")
                #expect(refused.status == 429, "\(route)")
                #expect(refused.headers["RateLimit-Policy"] == #""log-in-username";q=5"#)
            }
            clock.advance(by: .seconds(1))
            let replayed = try await send(target, Self.password, from: "192.0.2.9")
            #expect(replayed.headers["Idempotency-Replayed"] == "true", "\(route)")
            #expect(try await send(target, "guess", from: "192.0.2.9").status == 422)
            #expect(try await send(target, "guess", from: "192.0.2.9").status == 429)
        }
    }

    @Test("Wrong passwords in repeated requests and in log-ins count for the account together")
    func oneCount() async throws {
        let target = try await target(.signUp)
        for guess in 0..<4 { #expect(try await send(target, "guess \(guess)").status == 422) }
        let client = try await Client(service.api)
        func logIn(_ password: String) async throws -> Reply {
            try await client.send(
                "POST", "log-in", #"{"username": "ADA", "password": "\#(password)"}"#)
        }
        #expect(try await logIn("guess").code == "wrong-password")
        #expect(try await logIn(Self.password).status == 429)
        #expect(try await send(target, Self.password).status == 429)
    }

    @Test("Wrong passwords of one address for many accounts are limited by the address")
    func address() async throws {
        var targets: [Target] = []
        for number in 0..<7 { targets.append(try await target(.logIn, "user-\(number)")) }
        for guess in 0..<20 {
            let reply = try await send(targets[guess % 7], "guess", from: "192.0.2.1")
            #expect(reply.status == 422)
        }
        let refused = try await send(targets[6], Self.password, from: "192.0.2.1")
        #expect(refused.headers["RateLimit-Policy"] == #""log-in-address";q=20"#)
        #expect(try await send(targets[6], Self.password, from: "192.0.2.2").status == 200)
    }

    @Test("Concurrent guesses of a password are not checked more often than sequential ones")
    func atOnce() async throws {
        let target = try await target(.logIn)
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for guess in 0..<50 {
                group.addTask { try await send(target, "guess \(guess)").status }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.count { $0 == 422 } == 5)
        #expect(statuses.count { $0 == 429 } == 45)
    }

    @Test(
        "A request without a password is not a guess, regardless of earlier requests with its key")
    func noPassword() async throws {
        let client = try await Client.loggedIn(service)
        let key = ["Idempotency-Key": "key"]
        _ = try await client.send("POST", "push", #"{"scene": "titles"}"#, headers: key)
        for _ in 0..<30 {
            let reply = try await client.send("POST", "pop", headers: key, from: "192.0.2.1")
            #expect(reply.code == "idempotency-key-reused")
        }
    }
}
