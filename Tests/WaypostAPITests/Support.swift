import Foundation
import HTTPCore
import JSON
import NavigationRules
import Sessions
import Synchronization
import TestSupport
import Testing
import WaypostAPI
import WaypostCore
import WaypostTesting

/// A session of a service, driven through the router without a socket.
struct Client {
    let api: API
    let id: String
    let token: String

    /// A session that exists already.
    init(_ api: API, id: String, token: String) {
        self.api = api
        self.id = id
        self.token = token
    }

    /// The session that a response to `POST /v1/sessions` describes.
    init(_ api: API, opened: JSONValue) throws {
        self.init(
            api, id: try #require(opened["id"]?.text), token: try #require(opened["token"]?.text))
    }

    init(_ api: API) async throws {
        let made = try await api.send("POST", "/v1/sessions")
        try #require(made.status == 201)
        try self.init(api, opened: made.json)
    }

    /// Returns a session at the app root.
    static func loggedIn(_ service: TestService) async throws -> Client {
        let client = try await Client(service.api)
        let username = "user-\(client.id.prefix(12))"
        let answer = try await client.send(
            "POST", "sign-up", #"{"username": "\#(username)", "password": "a long password"}"#)
        try #require(answer.status == 200)
        return client
    }

    func send(
        _ method: String, _ path: String, _ body: String = "", headers: [String: String] = [:],
        from peer: String? = nil
    ) async throws -> Reply {
        try await api.send(
            method, "/v1/sessions/\(id)" + (path.isEmpty ? "" : "/\(path)"), body, token: token,
            headers: headers, from: peer)
    }

    func session() async throws -> JSONValue { try await send("GET", "").json }
}

/// A session that can be opened again after its end, as a seed does.
struct SeededSession {
    private let id = "00000000000000000000000000000001"
    private let token: Secret

    init(_ clock: TestEnvironment) { token = Secret.make(for: .session, clock.environment) }

    func open(in service: TestService) async throws -> Client {
        let isNew = try await service.directory.open(
            try #require(SessionID(id)), token: token, account: nil, name: nil, lifecycle: nil,
            isStrict: nil, at: nil)
        #expect(isNew)
        return Client(service.api, id: id, token: token.text)
    }
}

struct Reply: Sendable {
    let status: Int
    let headers: HeaderFields
    let bytes: [UInt8]
    private let parsed = Parsed()

    init(_ response: Response) {
        status = response.status.code
        headers = response.headers
        if case .bytes(let body) = response.body { bytes = body } else { bytes = [] }
    }

    /// The body as JSON; null if it is not JSON. It is parsed at its first use, as most tests look
    /// at the status of many responses and at the body of few.
    var json: JSONValue {
        parsed.value.withLock { value in
            if let value { return value }
            let parsed = (try? JSONValue(parsing: bytes, maximumDepth: 32)) ?? .null
            value = parsed
            return parsed
        }
    }

    private final class Parsed: Sendable {
        let value = Mutex<JSONValue?>(nil)
    }

    var code: String? { json["code"]?.text }

    /// The body without the request id, which differs for each request.
    var body: String {
        let id = headers["X-Request-ID"] ?? ""
        return String(decoding: bytes, as: UTF8.self).replacing(#","requestId":"\#(id)""#, with: "")
    }
}

extension API {
    func send(
        _ method: String, _ target: String, _ body: String = "", token: String? = nil,
        headers: [String: String] = [:], from peer: String? = nil
    ) async throws -> Reply {
        let fields = HeaderFields(headers.map { .init(name: $0.key, value: $0.value) })
        return try await send(method, target, body, token: token, fields: fields, from: peer)
    }

    /// Sends a request with the session's token.
    /// - Parameter peer: the address at the other end of the connection.
    func send(
        _ method: String, _ target: String, _ body: String = "", token: String? = nil,
        fields: HeaderFields, from peer: String? = nil
    ) async throws -> Reply {
        var fields = fields
        if let token { fields.append("Authorization", "Bearer \(token)") }
        if !body.isEmpty, fields["Content-Type"] == nil {
            fields.append("Content-Type", "application/json")
        }
        return Reply(
            await respond(
                to: Request(
                    method: Method(method), target: try RequestTarget(target), headers: fields,
                    body: Array(body.utf8), peer: peer.flatMap { NetworkAddress($0) })))
    }
}

extension JSONValue {
    subscript(index: Int) -> JSONValue? {
        if case .array(let elements) = self, elements.indices.contains(index) {
            elements[index]
        } else {
            nil
        }
    }

    var count: Int? { if case .array(let elements) = self { elements.count } else { nil } }
}

extension HeaderFields {
    /// The header fields without the request id, which differs for each request.
    var ofAnswer: HeaderFields { HeaderFields(fields.filter { $0.name != "X-Request-ID" }) }
}
