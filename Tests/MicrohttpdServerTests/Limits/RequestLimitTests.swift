import HTTPCore
import TestSupport
import Testing

@testable import MicrohttpdServer

@Suite("Limits on concurrent requests", .timeLimit(.minutes(10)))
struct RequestLimitTests {
    @Test(
        "A request over the limit gets a 503 unless it is urgent, and succeeds when another has ended"
    )
    func requests() async throws {
        let gate = Gate()
        let handler = TestHandler { request in
            if request.target.path == "/wait" { await gate.pass() }
            return .text("done")
        }
        try await withServer(handler, .with { $0.maximumRequests = 2 }) { server in
            let waiting = try (0..<2).map { _ in try RawClient(port: server.port) }
            for client in waiting { try client.get("/wait") }
            await gate.waitForArrivals(2)
            let client = try RawClient(port: server.port)
            for _ in 0..<3 {
                try client.get("/")
                let response = try client.readResponse()
                #expect(response.status == 503)
                #expect(response.text == "busy")
                #expect(response["Retry-After"] == "1")
            }
            try client.get("/urgent")
            #expect(try client.readResponse().text == "done")
            gate.open()
            for client in waiting { #expect(try client.readResponse().text == "done") }
            try client.get("/")
            #expect(try client.readResponse().text == "done")
        }
        #expect(handler.requestCount == 4)
    }

    @Test("A request that has timed out counts against the limit until its work ends")
    func late() async throws {
        let clock = ManualClock()
        let gate = Gate()
        let handler = TestHandler { request in
            if request.target.path == "/wait" { await gate.pass() }
            return .text("done")
        }
        try await withServer(
            handler,
            .with(clock) {
                $0.maximumRequests = 1
                $0.responseTimeout = .milliseconds(100)
            }
        ) { server in
            let client = try RawClient(port: server.port)
            try client.get("/wait")
            while !client.canBeRead(within: 20) { clock.tick() }
            #expect(try client.readResponse().text == "timed-out")
            try client.get("/")
            #expect(try client.readResponse().text == "busy")
            gate.open()
            var text = ""
            while text != "done" {
                try client.get("/")
                text = try client.readResponse().text
            }
        }
    }
}
