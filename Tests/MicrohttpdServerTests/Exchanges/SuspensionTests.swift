import HTTPCore
import TestSupport
import Testing

@testable import MicrohttpdServer

@Suite("Suspended responses", .timeLimit(.minutes(10)))
struct SuspensionTests {
    private static func handler(_ gate: Gate) -> TestHandler {
        TestHandler { request in
            if request.target.segments.first == "wait" { await gate.pass() }
            return .text(request.target.path)
        }
    }

    @Test("A suspended response does not block other connections of its worker")
    func others() async throws {
        let gate = Gate()
        try await withServer(Self.handler(gate)) { server in
            let waiting = try RawClient(port: server.port)
            try waiting.get("/wait")
            await gate.waitForArrivals(1)
            // The number exceeds that of the workers, so that some requests reach the waiting
            // worker.
            for number in 1...16 {
                let client = try RawClient(port: server.port)
                for path in ["/now/\(number)", "/again"] {
                    try client.get(path)
                    #expect(try client.readResponse().text == path)
                }
            }
            gate.open()
            #expect(try waiting.readResponse().text == "/wait")
            try waiting.get("/after")
            #expect(try waiting.readResponse().text == "/after")
        }
    }

    @Test("Each of 300 concurrently suspended requests gets its own response")
    func many() async throws {
        let gate = Gate()
        try await withServer(Self.handler(gate)) { server in
            let clients = try (0..<300).map { _ in try RawClient(port: server.port) }
            for (number, client) in clients.enumerated() { try client.get("/wait/\(number)") }
            await gate.waitForArrivals(clients.count)
            gate.open()
            for (number, client) in clients.enumerated() {
                #expect(try client.readResponse().text == "/wait/\(number)")
            }
        }
    }

    @Test("A response that arrives during the suspension of its connection is sent")
    func race() async throws {
        let handler = TestHandler { request in
            // The task resumes at about the time when the worker suspends the connection.
            await goElsewhere()
            return .text(request.target.path)
        }
        try await withServer(handler) { server in
            let clients = try (0..<8).map { _ in try RawClient(port: server.port) }
            for round in 0..<200 {
                for (number, client) in clients.enumerated() {
                    try client.get("/\(round)/\(number)")
                }
                for (number, client) in clients.enumerated() {
                    try #require(try client.readResponse().text == "/\(round)/\(number)")
                }
            }
        }
    }

    @Test("A response that is suspended several times is sent once")
    func severalWaits() async throws {
        let handler = TestHandler { request in
            for _ in 0..<10 { await goElsewhere() }
            return .text(request.target.path)
        }
        try await withServer(handler) { server in
            let client = try RawClient(port: server.port)
            for number in 0..<50 {
                try client.get("/\(number)")
                #expect(try client.readResponse().text == "/\(number)")
            }
            #expect(handler.requestCount == 50)
        }
    }

    @Test("A response that does not wait is made without a change of threads")
    func inline() async throws {
        let handler = TestHandler { _ in
            let before = currentThread()
            // The call of another asynchronous function could suspend the task.
            await Gate.opened.pass()
            return .text(before == currentThread() ? "same" : "other")
        }
        try await withServer(handler) { server in
            let client = try RawClient(port: server.port)
            try client.get("/")
            #expect(try client.readResponse().text == "same")
        }
    }
}
