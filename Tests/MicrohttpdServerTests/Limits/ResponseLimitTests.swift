import HTTPCore
import Testing

@testable import MicrohttpdServer

@Suite("The limit on responses that clients do not read", .timeLimit(.minutes(10)))
struct ResponseLimitTests {
    private static let size = 20_000_000
    private let handler = TestHandler { _ in
        Response(.ok, body: .bytes([UInt8](repeating: 0, count: Self.size)))
    }

    @Test("Above the limit, the connection that has been sending for the longest time is reset")
    func unread() async throws {
        try await withServer(handler, .with { $0.maximumUnsentSize = 2 * Self.size }) { server in
            // A response that was read no longer counts.
            let reader = try RawClient(port: server.port)
            for _ in 0..<3 {
                try reader.get("/")
                #expect(try reader.readResponse().body.count == Self.size)
            }
            let clients = try (0..<3).map { _ in
                let client = try RawClient(port: server.port)
                client.limitReceiveBuffer()
                try client.get("/")
                while !client.canBeRead(within: 20) {}
                return client
            }
            while !clients[0].isReset() {}
            for client in clients[1...] {
                #expect(try client.readResponse().body.count == Self.size)
            }
        }
    }
}
