import HTTPCore
import JSON
import SessionStoreTesting
import TestSupport
import Testing
import WaypostCore
import WaypostTesting

@testable import WaypostAPI

/// Tests of all routes with all kinds of tokens that do not give access to them.
@Suite(.timeLimit(.minutes(10)), .everyStore) struct MatrixTests {
    private static let keys = doors.keys.sorted()
    private static let sessionKeys = keys.filter { key in
        if case .session? = doors[key] { true } else { false }
    }
    private static let accountKeys = keys.filter { key in
        if case .account? = doors[key] { true } else { false }
    }
    static let digits = String(repeating: "0123456789abcdef", count: 4)

    private let clock = TestEnvironment()
    private let service: TestService

    init() throws {
        service = try TestService(environment: clock.environment)
    }

    // MARK: Access checks

    /// Opens a session without a password, because hashing one takes time.
    private func open(_ credential: String? = nil) async throws -> Client {
        let body = credential.map { #"{"credential": "\#($0)"}"# } ?? ""
        let reply = try await service.api.send("POST", "/v1/sessions", body)
        return try Client(service.api, opened: reply.json)
    }

    /// Creates an account and returns a credential of it.
    private func signUp(_ username: String) async throws -> String {
        let session = try await open()
        let reply = try await service.api.send(
            "POST", "/v1/sessions/\(session.id)/sign-up",
            #"{"username": "\#(username)", "password": "\#(Self.password)"}"#, token: session.token)
        return try #require(reply.json["credential"]?.text)
    }

    private func end(_ session: Client) async throws {
        let reply = try await service.api.send(
            "DELETE", "/v1/sessions/\(session.id)", token: session.token)
        try #require(reply.status == 204)
    }

    private func send(
        _ key: String, _ values: [String: String], _ body: String, _ authorization: [String],
        _ extra: [String: String] = [:]
    ) async throws -> Reply {
        try await service.api.send(key, values, body, authorization, extra)
    }

    /// Checks that two responses are the same to the last byte.
    private func expect(
        _ reply: Reply, toBe other: Reply, _ comment: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(reply.status == other.status, "\(comment)", sourceLocation: sourceLocation)
        #expect(
            reply.headers.ofAnswer == other.headers.ofAnswer, "\(comment)",
            sourceLocation: sourceLocation)
        #expect(reply.body == other.body, "\(comment)", sourceLocation: sourceLocation)
    }

    /// Fields that must not change a refusal. No store takes part in the comparison of tags.
    private static var extras: [[String: String]] {
        let fields = [["If-Match": "*"], ["If-None-Match": "\"1\""]]
        return [[:], ["Idempotency-Key": "a-key"]] + (StoreKind.current == .memory ? fields : [])
    }

    /// Returns `Authorization` fields without a valid token.
    /// - Parameter other: a token for another purpose.
    static func noTokens(_ other: String) -> [[String]] {
        [
            [], [""], ["Bearer"], ["Bearer "], ["Bearer garbage"], ["Bearer wps_"], ["Bearer wpc_"],
            ["Bearer \(other)"], ["Bearer \(Self.digits)"], ["Bearer WPS_\(Self.digits)"],
            ["Bearer wps_\(Self.digits)0"], ["Bearer wps_\(Self.digits.dropLast())"],
            ["Bearer wps_\(Self.digits.uppercased())"], ["Bearer wps_\(Self.digits) x"],
            ["Basic \(Self.digits)"], ["wps_\(Self.digits)"],
        ]
    }

    /// Returns `Authorization` fields that are refused. No store is asked about the fields of
    /// `noTokens`, so that they are tried with one kind of store only.
    /// - Parameter secrets: the values of further fields, which are tried with each store.
    private func refusedFields(
        _ other: String, _ extra: [String: String], _ secrets: [[String]]
    ) -> [[String]] {
        guard StoreKind.current == .memory else { return secrets }
        // A further field changes the order of the checks for all of these values or for none.
        return (extra.isEmpty ? Self.noTokens(other) : [["Bearer garbage"]]) + secrets
    }

    // MARK: The matrix

    @Test(
        "A session route accepts only its session's token; all others get the same 401 or 404",
        arguments: sessionKeys)
    func session(_ key: String) async throws {
        guard case .session(let template, let atLogin, let refusal) = Self.doors[key] else {
            return
        }
        let credential = try await signUp("ada")
        // This session is opened first, so that it expires before the others.
        let expired = try await open(credential)
        clock.advance(by: .seconds(30 * 86_400))
        let target = try await open(atLogin ? nil : credential)
        let foreign = try await open(atLogin ? nil : credential)
        let ended = try await open(credential)
        try await end(ended)
        // Each session has a stack of two, so that an operation can pop one.
        for session in [target, foreign] where !atLogin {
            _ = try await service.api.send(
                "POST", "/v1/sessions/\(session.id)/push", #"{"scene": "titles"}"#,
                token: session.token)
        }
        let path = "/v1/sessions/\(target.id)"
        let before = try await service.api.send("GET", path, token: target.token)
        let top = before.json["viewControllers"]?.elements?.last?["id"]?.text ?? ""
        let body = template.replacing("VC", with: top).replacing("NEW", with: "eve")
        let unknownID = String(Self.digits.prefix(32))
        func values(_ id: String) -> [String: String] { ["session": id, "viewController": top] }

        for extra in Self.extras {
            let unauthorized = try await send(key, values(unknownID), body, [], extra)
            #expect(unauthorized.status == 401)
            #expect(unauthorized.code == "unauthorized")
            #expect(unauthorized.headers["WWW-Authenticate"] == "Bearer realm=\"waypost\"")
            let secrets = [
                ["Bearer \(credential)"], ["Basic \(target.token)"], [target.token],
                ["Bearer \(target.token)", "Bearer \(target.token)"],
                ["Bearer \(target.token)", "Bearer wps_\(Self.digits)"],
            ]
            for authorization in refusedFields(credential, extra, secrets) {
                for id in [target.id, unknownID, ended.id, "none"] {
                    let reply = try await send(key, values(id), body, authorization, extra)
                    expect(reply, toBe: unauthorized, "\(authorization) at \(id)")
                }
            }

            let anyToken = ["Bearer wps_\(Self.digits)"]
            let notFound = try await send(key, values(unknownID), body, anyToken, extra)
            #expect(notFound.status == 404)
            #expect(notFound.code == "session-not-found")
            let strangers = [Self.digits, String(Self.digits.reversed())].map { "wps_\($0)" }
            for token in strangers + [foreign.token, ended.token, expired.token] {
                for id in [target.id, unknownID, ended.id, expired.id, "none", "\(target.id)0"]
                where (id, token) != (target.id, target.token) {
                    let reply = try await send(key, values(id), body, ["Bearer \(token)"], extra)
                    expect(reply, toBe: notFound, "\(token) at \(id)")
                }
            }
            // A valid token gives access only to its own session.
            for id in [unknownID, foreign.id, ended.id, expired.id, "none"] {
                let reply = try await send(
                    key, values(id), body, ["Bearer \(target.token)"], extra)
                expect(reply, toBe: notFound, "the target's token at \(id)")
            }
        }
        let after = try await service.api.send("GET", path, token: target.token)
        expect(after, toBe: before, "the target")
        let events = try await service.api.send("GET", "\(path)/events", token: target.token)
        #expect(
            events.json["items"]?.elements?.last?["revision"] == before.json["revision"])

        // The same request with the right token succeeds, so that the token was the reason for the
        // refusals. The Library has no tabs, layers and segues: there, the screen is the reason.
        let reply = try await send(key, values(target.id), body, ["bearer \(target.token)"])
        if let refusal { return #expect(reply.code == refusal) }
        #expect(
            (200...299).contains(reply.status), "\(String(decoding: reply.bytes, as: UTF8.self))")
    }

    @Test(
        "An account route accepts only the account's valid credentials; all others get the same 401",
        arguments: accountKeys)
    func account(_ key: String)
        async throws
    {
        guard case .account(let body) = Self.doors[key] else { return }
        let expired = try await signUp("expired")
        clock.advance(by: .seconds(90 * 86_400))
        let credential = try await signUp("ada")
        let session = try await open(credential)
        let revoked = try await revokedCredential(of: "revoked")
        let disabled = try await signUp("disabled")
        try await service.accounts.setDisabled("disabled", true)
        let removed = try await signUp("removed")
        try await service.accounts.remove("removed")
        let id = try await credentialID(of: credential)
        let token = try await service.api.send(
            "POST", "/v1/account/sessions/\(session.id)/tokens", #"{"name": "phone"}"#,
            token: credential)
        let tokenID = try #require(token.json["id"]?.text)
        let secret = try #require(token.json["token"]?.text)
        func values(_ id: String, _ session: String, _ token: String) -> [String: String] {
            ["credential": id, "session": session, "token": token]
        }

        for extra in Self.extras {
            let none = try await send(key, values(id, session.id, tokenID), body, [], extra)
            #expect(none.status == 401)
            #expect(none.code == "unauthorized")
            let noCredentials = refusedFields(
                session.token, extra,
                [secret, expired, revoked, disabled, removed, "wpc_\(Self.digits)"].map {
                    ["Bearer \($0)"]
                } + [["Bearer \(credential)", "Bearer \(credential)"]])
            for authorization in noCredentials {
                let unknown = String(Self.digits.prefix(32))
                for values in [
                    values(id, session.id, tokenID), values(unknown, unknown, unknown),
                    values("none", "none", "none"),
                ] {
                    let reply = try await send(key, values, body, authorization, extra)
                    expect(reply, toBe: none, "\(authorization)")
                }
            }
        }
        #expect(try await credentialID(of: credential) == id)
        let root = try await service.api.send(
            "GET", "/v1/sessions/\(session.id)", token: session.token)
        #expect(root.json["window"]?["root"]?.text == "app")
        #expect(root.json["revision"]?.number == 1)

        // Another account's credential is good, but neither for the session nor for the credential.
        if key.contains("{session}") {
            let stranger = try await signUp("stranger")
            for session in [session.id, String(Self.digits.prefix(32)), "none"] {
                let reply = try await send(
                    key, values(id, session, tokenID), body, ["Bearer \(stranger)"])
                #expect(reply.code == "session-not-found")
            }
        }
        let reply = try await send(
            key, values(id, session.id, tokenID), body, ["bearer \(credential)"])
        #expect(
            (200...299).contains(reply.status), "\(String(decoding: reply.bytes, as: UTF8.self))")
    }

    private func revokedCredential(of username: String) async throws -> String {
        let credential = try await signUp(username)
        let id = try await credentialID(of: credential)
        let reply = try await service.api.send(
            "DELETE", "/v1/account/credentials/\(id)", token: credential)
        try #require(reply.status == 204)
        return credential
    }

    private func credentialID(of credential: String) async throws -> String {
        let reply = try await service.api.send("GET", "/v1/account/credentials", token: credential)
        return try #require(reply.json["items"]?[0]?["id"]?.text)
    }

    // MARK: Methods

    @Test(
        "An unsupported method returns the same response for known and unknown sessions")
    func methods() async throws {
        let target = try await open()
        for key in Self.keys where key.hasPrefix("GET /v1/sessions/{session}") {
            let path = String(key.dropFirst(4))
            for method in ["HEAD", "OPTIONS", "TRACE", "PUT"] {
                guard Self.doors["\(method) \(path)"] == nil else { continue }
                let here = try await send("\(method) \(path)", ["session": target.id], "", [])
                let nowhere = try await send(
                    "\(method) \(path)",
                    ["session": target.id.reversed().map(String.init).joined()],
                    "", [])
                #expect(here.status == nowhere.status)
                #expect(here.headers.ofAnswer == nowhere.headers.ofAnswer)
                #expect(method == "OPTIONS" || here.status == (method == "HEAD" ? 401 : 405))
            }
        }
    }
}
