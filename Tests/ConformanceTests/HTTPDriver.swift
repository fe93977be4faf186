import Foundation
import FoundationNetworking
import JSON
import TestSupport
import Testing
import WaypostCore
import WaypostTesting

/// Runs a case against a running service, over loopback.
final class HTTPDriver: Driver {
    private var service: TestService
    private var base: URL { service.base }
    private let path: String
    private let token: String
    /// Accounts outlive sessions: each case signs up a name of its own.
    private let username: String
    /// The events that have been read.
    private var log: [JSONValue] = []

    init(
        _ service: TestService, lifecycle: String, isStrict: Bool?, flags: [String: Bool],
        username: String
    ) async throws {
        var members = [JSONObject.Member(name: "lifecycle", value: .string(lifecycle))]
        if !flags.isEmpty {
            let flags = flags.map { JSONObject.Member(name: $0.key, value: .boolean($0.value)) }
            members.append(.init(name: "flags", value: .object(JSONObject(members: flags))))
        }
        if let isStrict {
            members.append(.init(name: "strict", value: .boolean(isStrict)))
        }
        let made = try await Self.send(
            "POST", service.base.appending(path: "v1/sessions"),
            .object(JSONObject(members: members)), token: nil)
        self.service = service
        self.username = username
        path = "v1/sessions/" + (try #require(made.body["id"]?.text))
        token = try #require(made.body["token"]?.text)
    }

    func perform(_ operation: String, _ body: JSONValue) async throws -> Answer {
        var body = body
        if ["log-in", "sign-up"].contains(operation) {
            body = .object(
                JSONObject(members: [
                    .init(name: "username", value: .string(username)),
                    .init(name: "password", value: .string(password)),
                ]))
        }
        if operation.hasPrefix("patch ") {
            let id = operation.dropFirst("patch ".count)
            return try await send("PATCH", "\(path)/view-controllers/\(id)", body)
        }
        return try await send("POST", "\(path)/\(operation)", body)
    }

    func read(_ name: String) async throws -> Answer {
        try await send("GET", "\(path)/\(name)", nil)
    }

    /// Starts another service on the same store, which has not read the session before.
    func restart(_ storyboard: String) async throws {
        service = try TestService(
            storyboard: Case.storyboardPath(storyboard), store: service.store)
    }

    /// Continues with another service on the same store.
    func move(to service: TestService) { self.service = service }

    func session() async throws -> JSONValue { try await send("GET", path, nil).body }

    /// Reads the events after those that have been read, and returns all.
    func events() async throws -> [JSONValue] {
        log += try await events(after: log.last?["seq"]?.number ?? 0)
        return log
    }

    func wholeLog() async throws -> [JSONValue] { try await events(after: 0) }

    private func events(after seq: Int) async throws -> [JSONValue] {
        let answer = try await send("GET", "\(path)/events?limit=1000&after=\(seq)", nil)
        return try #require(answer.body["items"]?.elements)
    }

    private func send(
        _ method: String, _ path: String, _ body: JSONValue?
    ) async throws -> Answer {
        let url = try #require(URL(string: "/\(path)", relativeTo: base))
        return try await Self.send(method, url, body, token: token)
    }

    private static func send(
        _ method: String, _ url: URL, _ body: JSONValue?, token: String?
    ) async throws -> Answer {
        var request = URLRequest(url: url)
        request.httpMethod = method
        if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
        if let body {
            var json = JSONWriter()
            json.write(body)
            request.httpBody = Data(json.bytes)
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        }
        let (data, response) = try await URLSession.shared.data(for: request)
        let status = try #require(response as? HTTPURLResponse).statusCode
        return Answer(status: status, body: try JSONValue(parsing: Array(data), maximumDepth: 32))
    }
}
