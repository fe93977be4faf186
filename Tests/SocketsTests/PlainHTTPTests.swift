import Sockets
import Testing

/// Tests of the HTTP client of the commands.
@Suite(.timeLimit(.minutes(1))) struct PlainHTTPTests {
    @Test("A client gives up a service that sends no response within the time limit")
    func silentService() throws {
        let listener = try Listener.listen(host: "127.0.0.1", port: 0)
        guard let connection = PlainHTTP(host: "127.0.0.1", port: listener.port, timeout: 1) else {
            Issue.record("no connection")
            return
        }
        let response = connection.exchange("GET", "/livez")
        #expect(response?.status == nil)
        _ = consume listener
    }
}
