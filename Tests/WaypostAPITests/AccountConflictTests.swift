import HTTPCore
import JSON
import SessionStoreTesting
import TestSupport
import Testing
import WaypostCore
import WaypostTesting

@testable import Sessions

/// Tests of account requests that others prevent: by a change of the account at the same time, or
/// by passwords that wait.
@Suite struct AccountConflictTests {
    private static let password = "a long password"

    private func signUp(_ service: TestService) async throws -> Reply {
        try await Client(service.api).send(
            "POST", "sign-up", #"{"username": "ada", "password": "\#(Self.password)"}"#)
    }

    @Test("A credential that is revoked during its request is refused, and a change is a conflict")
    func accountChanged() async throws {
        let store = try ScriptedStore()
        let service = try TestService(store: store)
        let credential = try #require(try await signUp(service).json["credential"]?.text)
        func send(_ method: String, _ path: String, _ body: String = "") async throws -> Reply {
            try await service.api.send(method, "/v1/account\(path)", body, token: credential)
        }
        // The first commit of the first request records the use of the credential.
        store.refuse(.other, .accountChanged, count: 1)
        #expect(try await send("GET", "").code == "unauthorized")
        #expect(try await send("GET", "").status == 200)
        store.refuse(.other, .accountChanged, count: 1)
        let change = #"{"oldPassword": "\#(Self.password)", "newPassword": "a longer password"}"#
        let refused = try await send("PUT", "/password", change)
        #expect(refused.status == 409 && refused.code == "account-changed")
        #expect(
            refused.json["detail"]?.text == "the account was changed at the same time: try again")
        #expect(try await send("PUT", "/password", change).status == 204)
    }

    /// A request after which its own credential is invalid.
    enum Ending: CaseIterable, Sendable {
        case ofOwnCredential, ofAllCredentials, ofAccount
    }

    @Test(
        "Equal requests at the same time that end their own credential all get the response",
        .everyStore, .timeLimit(.minutes(10)),
        arguments: Ending.allCases, [ScriptedStore.Call.account, .idempotencyRecord])
    func ownCredential(_ ending: Ending, held: ScriptedStore.Call) async throws {
        let store = try ScriptedStore()
        let service = try TestService(store: store)
        let credential = try #require(try await signUp(service).json["credential"]?.text)
        let own = CredentialID(of: try #require(Secret(credential, for: .credential)).hash)
        let send: @Sendable () async throws -> Reply = {
            let (method, path, body) =
                switch ending {
                case .ofOwnCredential: ("DELETE", "/credentials/\(own)", "")
                case .ofAllCredentials: ("DELETE", "/credentials", "")
                case .ofAccount: ("POST", "/delete", #"{"password": "\#(Self.password)"}"#)
                }
            return try await service.api.send(
                method, "/v1/account\(path)", body, token: credential,
                headers: ["Idempotency-Key": "key"])
        }
        // One request waits, after it has read the account or looked for its response, until the
        // other one is stored.
        let gate = Gate()
        store.holdResult(of: held, at: gate)
        let late = Task { try await send() }
        await gate.waitForArrivals(1)
        store.holdResult(of: held, at: nil)
        #expect(try await send().status == 204)
        gate.open()
        let reply = try await late.value
        #expect(reply.status == 204)
        #expect(reply.headers["Idempotency-Replayed"] == "true")
    }

    @Test("A password that finds the queue full gets a 503 with Retry-After")
    func fullQueue() async throws {
        let cost = PasswordHash.Cost(operations: 1, memory: 8192)
        let hasher = try PasswordHasher(
            cost: cost, threads: 1, limits: WorkLimits(total: 0))
        let reply = try await signUp(TestService(hasher: hasher))
        #expect(reply.status == 503 && reply.code == "busy")
        #expect(reply.headers["Retry-After"] == "1")
        #expect(
            reply.json["detail"]?.text
                == "too many passwords are being checked: try again in a second")
    }
}
