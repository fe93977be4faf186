import JSON
import Sockets

/// Sends requests to a running service over its admin socket.
struct AdminClient {
    /// The service has accepted the connection and ended it without a valid response.
    struct NoResponse: Error {}

    /// The path of the admin socket.
    let socket: String

    /// Sends a request and waits for its response.
    /// - Returns: nil if no service listens on the socket.
    func post(
        _ path: String, _ body: consuming JSONWriter
    ) throws(NoResponse) -> (status: Int, body: JSONValue)? {
        let bytes = body.bytes
        guard let connection = PlainHTTP(path: socket) else { return nil }
        guard let response = connection.exchange("POST", path, json: bytes) else {
            throw NoResponse()
        }
        let json = try? JSONValue(parsing: response.body, maximumDepth: 32)
        return (response.status, json ?? .null)
    }
}
