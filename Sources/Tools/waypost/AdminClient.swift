import JSON
import Sockets
import WaypostCore

/// Sends requests to a running service over its admin socket, a Unix domain socket for the
/// operator's commands.
struct AdminClient {
    enum Failure: Error, Equatable {
        /// The socket cannot be used, although a service may listen on it.
        case cannotConnect(ConnectError)
        /// The service has accepted the connection, but has ended it without a valid response.
        case noResponse
    }

    /// The path of the admin socket.
    let socket: String

    /// Sends a request and waits for its response.
    /// - Returns: the status, and the body as JSON (null if the body is not JSON); nil if no
    ///   service listens on the socket.
    func post(
        _ path: String, _ body: consuming JSONWriter
    ) throws(Failure) -> (status: Int, body: JSONValue)? {
        let bytes = body.bytes
        guard let connection = try connect() else { return nil }
        guard let response = connection.exchange("POST", path, json: bytes) else {
            throw .noResponse
        }
        let json = try? JSONValue(parsing: response.body, maximumDepth: 32)
        return (response.status, json ?? .null)
    }

    private func connect() throws(Failure) -> PlainHTTP? {
        do {
            return try PlainHTTP(path: socket)
        } catch {
            throw .cannotConnect(error)
        }
    }
}
