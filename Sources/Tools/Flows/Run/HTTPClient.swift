import Foundation
import JSON
import Sockets
import WaypostCore

/// Sends the HTTP requests of flows (scripted tests) to a running service.
struct HTTPClient: Sendable {
    /// The name or address of the host on which the service runs.
    let host: String
    let port: UInt16

    /// The host and the port, as a URL has them.
    var address: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }

    /// Creates a client for a service.
    /// - Parameter text: the URL of the service, such as `http://127.0.0.1:8080`.
    /// - Throws: `FlowFailure` if `text` is not an `http` URL, or if the URL has more than a host
    ///   and a port, or an invalid port.
    init(_ text: String) throws {
        guard let url = URL(string: text), url.scheme?.lowercased() == "http", let host = url.host,
            ["", "/"].contains(url.path), url.user == nil, url.query == nil, url.fragment == nil
        else {
            throw FlowFailure(
                "\(text): expected the URL of a service, such as http://127.0.0.1:8080")
        }
        guard let port = UInt16(exactly: url.port ?? 80), port > 0 else {
            throw FlowFailure("\(text): the port must be from 1 to 65535")
        }
        self.host = host
        self.port = port
    }

    /// Sends a request and waits for the response. Each read and each write may take at most 30
    /// seconds.
    /// - Parameters:
    ///   - body: the JSON body of the request; nil for a request without a body.
    ///   - bearer: the token for the `Authorization` field; nil for a request without this field.
    /// - Returns: the status, and the JSON of the body; null if the body is empty.
    /// - Throws: `FlowFailure` if the service cannot be reached or the response is not valid.
    func send(
        _ method: String, _ path: String, _ body: JSONObject? = nil, bearer: String? = nil
    ) throws -> (status: Int, body: JSONValue) {
        let (status, content) = try exchange(method, path, body, bearer: bearer)
        guard !content.isEmpty else { return (status, .null) }
        guard let json = try? JSONValue(parsing: content, maximumDepth: 64) else {
            throw FlowFailure("\(method) \(path): the response is not JSON")
        }
        return (status, json)
    }

    /// Opens a session.
    /// - Parameter failure: the error if the service opens none, to which its reason is added.
    /// - Returns: the id and the token of the session.
    func openSession(
        _ body: JSONObject, bearer: String? = nil, orElse failure: String
    ) throws -> (id: String, token: String) {
        let (status, body) = try send("POST", "/v1/sessions", body, bearer: bearer)
        guard status == 201, let id = body["id"]?.text, let token = body["token"]?.text else {
            throw FlowFailure("\(failure): \(body["detail"]?.text ?? "status \(status)")")
        }
        return (id, token)
    }

    /// Sends a request as `send` does, and returns the bytes of the body.
    func exchange(
        _ method: String, _ path: String, _ body: JSONObject? = nil, bearer: String? = nil
    ) throws -> (status: Int, body: [UInt8]) {
        guard let connection = PlainHTTP(host: host, port: port, timeout: 30) else {
            throw FlowFailure("\(address): nobody listens there: start `waypost serve`")
        }
        let json = body.map { Array(JSONValue.object($0).json.utf8) }
        let response = connection.exchange(
            method, path, host: address, json: json, bearer: bearer)
        guard let response else {
            throw FlowFailure("\(method) \(path): the service sent no valid response")
        }
        return response
    }
}
