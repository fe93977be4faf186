import HTTPCore
import JSON
import TestSupport
import Testing
import WaypostTesting

@testable import WaypostAPI

/// A user who is logged in to a session.
struct DeviceUser {
    let client: Client
    let credential: String
}

/// A suite of tests in which the users of an account have several sessions and tokens.
protocol DeviceSuite {
    var clock: TestEnvironment { get }
    var service: TestService { get }
}

extension DeviceSuite {
    func enter(_ client: Client, _ route: String, _ username: String) async throws -> DeviceUser {
        let reply = try await client.send(
            "POST", route, #"{"username": "\#(username)", "password": "a long password"}"#)
        return DeviceUser(client: client, credential: try #require(reply.json["credential"]?.text))
    }

    func signUp(_ username: String = "Ada") async throws -> DeviceUser {
        try await enter(try await Client(service.api), "sign-up", username)
    }

    func logIn(_ username: String = "Ada") async throws -> DeviceUser {
        try await enter(try await Client(service.api), "log-in", username)
    }

    /// Opens a session with a credential.
    func open(_ credential: String) async throws -> Client {
        let reply = try await service.api.send(
            "POST", "/v1/sessions", #"{"credential": "\#(credential)"}"#)
        return try Client(service.api, opened: reply.json)
    }

    func send(
        _ method: String, _ path: String, _ credential: String, key: String? = nil
    ) async throws -> Reply {
        try await send(method, path, "", credential, key: key)
    }

    func send(
        _ method: String, _ path: String, _ body: String, _ credential: String,
        key: String? = nil
    ) async throws -> Reply {
        try await service.api.send(
            method, "/v1/account/sessions\(path)", body, token: credential,
            headers: key.map { ["Idempotency-Key": $0] } ?? [:])
    }

    func makeToken(
        _ name: String = "phone", for client: Client, _ credential: String
    ) async throws -> (id: String, client: Client) {
        let reply = try await send(
            "POST", "/\(client.id)/tokens", #"{"name": "\#(name)"}"#, credential)
        try #require(reply.status == 201)
        let token = try #require(reply.json["token"]?.text)
        return (
            try #require(reply.json["id"]?.text),
            Client(service.api, id: client.id, token: token)
        )
    }

    func sessions(_ credential: String) async throws -> [JSONValue] {
        try #require(try await send("GET", "", credential).json["items"]?.elements)
    }

    func tokens(of client: Client, _ credential: String) async throws -> [String] {
        let reply = try await send("GET", "/\(client.id)/tokens", credential)
        return try #require(reply.json["items"]?.elements).compactMap { $0["name"]?.text }
    }
}
