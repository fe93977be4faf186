import Sockets
import Testing

@testable import MicrohttpdServer

@Suite("Starting a server", .timeLimit(.minutes(10)))
struct StartTests {
    private func start(host: String = "127.0.0.1", port: UInt16) throws -> Server {
        try Server(
            Server.Configuration(), listener: .listen(host: host, port: port),
            handler: TestHandler { _ in .text("here") })
    }

    @Test("A server on port 0 listens on a free port and knows its number")
    func freePort() throws {
        let one = try start(port: 0)
        defer { one.stop(grace: 0) }
        let other = try start(port: 0)
        defer { other.stop(grace: 0) }
        #expect(one.port != 0)
        #expect(one.port != other.port)
        let client = try RawClient(port: other.port)
        try client.get("/")
        #expect(try client.readResponse().text == "here")
    }

    @Test("The error for a port in use names the port")
    func addressInUse() throws {
        let server = try start(port: 0)
        defer { server.stop(grace: 0) }
        let error = ListenError.addressInUse("127.0.0.1", server.port)
        #expect(throws: error) { try start(port: server.port) }
        #expect(error.description.contains("127.0.0.1:\(server.port)"))
        // The first server continues to respond.
        let client = try RawClient(port: server.port)
        try client.get("/")
        #expect(try client.readResponse().text == "here")
    }

    @Test("The port of a stopped server can be used again at once")
    func restart() throws {
        let first = try start(port: 0)
        let client = try RawClient(port: first.port)
        try client.get("/")
        #expect(try client.readResponse().text == "here")
        first.stop(grace: 1000)
        let second = try start(port: first.port)
        second.stop(grace: 0)
        #expect(second.port == first.port)
    }

    @Test(
        "The error for an unknown host names the host",
        arguments: ["no such host", "300.1.2.3", ""])
    func unknownHost(host: String) {
        let error = #expect(throws: ListenError.self) { try start(host: host, port: 0) }
        guard case .unknownHost(let name, let reason) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(name == host)
        #expect(!reason.isEmpty)
        #expect(error?.description == "cannot listen on \(host): \(reason)")
    }

    @Test("A server cannot listen on an address of another machine")
    func foreignAddress() {
        let error = #expect(throws: ListenError.self) { try start(host: "192.0.2.1", port: 0) }
        #expect(error?.description.hasPrefix("cannot listen on 192.0.2.1:0: ") == true)
    }
}
