import HTTPCore
import Testing

@testable import MicrohttpdServer

@Suite("Limits on connections", .timeLimit(.minutes(10)))
struct ConnectionLimitTests {
    private let handler = TestHandler { _ in .text("done") }

    private func answer(_ client: RawClient) throws -> RawResponse {
        try client.get("/")
        return try client.readResponse()
    }

    @Test("A connection over the limit gets a 503, or its urgent response, and is closed")
    func total() async throws {
        try await withServer(handler, .with { $0.maximumConnections = 2 }) { server in
            let clients = try (0..<2).map { _ in try RawClient(port: server.port) }
            for client in clients { #expect(try answer(client).text == "done") }
            for _ in 0..<3 {
                let surplus = try RawClient(port: server.port)
                let response = try answer(surplus)
                #expect(response.status == 503)
                #expect(response.text == "busy")
                #expect(response["Retry-After"] == "1")
                #expect(try surplus.isClosed())
            }
            let urgent = try RawClient(port: server.port)
            try urgent.get("/urgent")
            #expect(try urgent.readResponse().text == "done")
            #expect(try urgent.isClosed())
            for client in clients { #expect(try answer(client).text == "done") }
            // A closed connection makes room for another one, shortly after its client sees the
            // end.
            try clients[1].sendLast("")
            #expect(try clients[1].isClosed())
            let end = ContinuousClock.now + .seconds(100)
            var status = 503
            while status == 503, ContinuousClock.now < end {
                status = try answer(RawClient(port: server.port)).status
            }
            #expect(status == 200)
        }
    }

    @Test("Connections far over the limit are closed without a response")
    func far() async throws {
        try await withServer(
            handler,
            .with {
                $0.maximumConnections = 1
                $0.headerTimeout = .seconds(60)
            }
        ) { server in
            let client = try RawClient(port: server.port)
            #expect(try answer(client).text == "done")
            let headroom = ConnectionRegistry.rejectedConnectionHeadroom
            let surplus = try (0..<headroom + 10).map { _ in try RawClient(port: server.port) }
            // The server accepts connections in the order of their arrival.
            for client in surplus[headroom...] { #expect(try client.isClosed()) }
            #expect(try answer(client).text == "done")
            for client in surplus[..<headroom] {
                #expect(try answer(client).status == 503)
                #expect(try client.isClosed())
            }
        }
    }

    @Test("One address cannot use all connections")
    func perAddress() async throws {
        try await withServer(handler, .with { $0.maximumConnectionsPerAddress = 1 }) {
            server in
            let client = try RawClient(port: server.port)
            #expect(try answer(client).text == "done")
            #expect(try answer(RawClient(port: server.port)).text == "busy")
            let other = try RawClient(port: server.port, from: 0x7F00_0002)
            #expect(try answer(other).text == "done")
        }
    }

    @Test("Connections of one address far over its limit are closed without a response")
    func farPerAddress() throws {
        var configuration = Server.Configuration()
        configuration.maximumConnectionsPerAddress = 1
        let registry = ConnectionRegistry(configuration)
        let one = try #require(NetworkAddress("192.0.2.1"))
        for number in 0...Int32(ConnectionRegistry.rejectedConnectionHeadroom) {
            let connection = registry.add(descriptor: -1 - number, peer: one)
            #expect(connection != nil && (connection?.refusal != nil) == (number > 0))
        }
        #expect(registry.add(descriptor: -100, peer: one) == nil)
        let other = registry.add(descriptor: -101, peer: NetworkAddress("192.0.2.2"))
        #expect(other != nil && other?.refusal == nil)
    }

    @Test("The addresses of one IPv6 network of 64 bits have one limit together")
    func network() throws {
        var configuration = Server.Configuration()
        configuration.maximumConnectionsPerAddress = 1
        let registry = ConnectionRegistry(configuration)
        func add(_ descriptor: Int32, _ peer: String) throws -> Connection {
            let peer = try #require(NetworkAddress(peer))
            return try #require(registry.add(descriptor: descriptor, peer: peer))
        }
        let first = try add(-1, "2001:db8::1")
        #expect(first.refusal == nil)
        #expect(try add(-2, "2001:db8::ffff:0:0:2").refusal?.kind == .busy)
        #expect(try add(-3, "2001:db8:0:1::1").refusal == nil)
        for connection in registry.all where connection.descriptor > -3 {
            registry.remove(connection)
        }
        #expect(try add(-4, "2001:db8::3").refusal == nil)
    }

    @Test("A closed connection no longer counts against the limits")
    func counts() throws {
        var configuration = Server.Configuration()
        configuration.maximumConnections = 2
        configuration.maximumConnectionsPerAddress = 1
        let registry = ConnectionRegistry(configuration)
        let one = try #require(NetworkAddress("192.0.2.1"))
        let other = try #require(NetworkAddress("::1"))
        for _ in 0..<3 {
            let first = registry.add(descriptor: -1, peer: one)
            #expect(first != nil && first?.refusal == nil)
            let second = registry.add(descriptor: -2, peer: one)
            #expect(second?.refusal?.kind == .busy)
            #expect(registry.add(descriptor: -3, peer: other)?.refusal?.kind == .busy)
            for connection in registry.all { registry.remove(connection) }
            #expect(registry.all.isEmpty)
        }
        let unknown = (1...2).map { registry.add(descriptor: -$0, peer: nil) }
        #expect(unknown.allSatisfy { $0 != nil && $0?.refusal == nil })
    }

    @Test("Connections are shared evenly by the workers, even after some have closed")
    func shares() throws {
        var configuration = Server.Configuration()
        configuration.threads = 3
        let registry = ConnectionRegistry(configuration)
        func add(_ descriptors: ClosedRange<Int32>) throws -> [Connection] {
            try descriptors.map { try #require(registry.add(descriptor: -$0, peer: nil)) }
        }
        func loads(_ connections: [Connection]) -> [Int] {
            (0..<3).map { worker in connections.count { $0.worker == worker } }
        }
        var connections = try add(1...30)
        #expect(loads(connections) == [10, 10, 10])
        for connection in connections where connection.worker == 1 { registry.remove(connection) }
        connections.removeAll { $0.worker == 1 }
        connections += try add(31...46)
        #expect(loads(connections) == [12, 12, 12])
    }
}
