import JSON
import Sockets

/// Sends requests to a running service over its admin socket, a Unix domain socket for the
/// operator's commands.
struct AdminClient {
    /// The service has accepted the connection, but has ended it without a valid response.
    struct NoResponse: Error {}

    /// The path of the admin socket.
    let socket: String

    /// Sends a request and waits for its response.
    /// - Returns: the status, and the body as JSON (null if the body is not JSON); nil if no
    ///   service listens on the socket.
    /// - Throws: `NoResponse` if the service does not send a valid response.
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
