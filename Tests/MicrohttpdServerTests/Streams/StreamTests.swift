import Dispatch
import Foundation
import Glibc
import HTTPCore
import Synchronization
import TestSupport
import Testing

@testable import MicrohttpdServer

/// A stream that ends without content.
private final class EndingSource: ResponseStream {
    let timeLimit: Duration? = nil

    func begin(on connection: any StreamConnection) { connection.end() }
    func canSend() {}
    func heartbeat() {}
    func check() {}
    func ended(_ end: StreamEnd) {}
}

/// Tests of streams, whose connections are detached from libmicrohttpd. All tests run on real sockets.
@Suite("Streams", .timeLimit(.minutes(10))) struct StreamTests {
    private static func handler(_ sources: [String: TestSource]) -> TestHandler {
        TestHandler { request in
            guard let source = sources[request.target.path] else { return .text("plain") }
            return Response(
                .ok, headers: ["Content-Type": "text/event-stream"], body: .stream(source))
        }
    }

    @Test("A stream sends its frames as chunks, on a new and on a used connection")
    func chunks() async throws {
        for isUsed in [false, true] {
            let source = TestSource()
            try await withServer(Self.handler(["/stream": source])) { server in
                let client = try RawClient(port: server.port)
                if isUsed {
                    try client.get("/")
                    #expect(try client.readResponse().text == "plain")
                }
                try client.get("/stream")
                let head = try client.readResponse(isHead: true)
                #expect(head.status == 200)
                #expect(head["Content-Type"] == "text/event-stream")
                #expect(head["Transfer-Encoding"] == "chunked")
                #expect(head["Connection"] == "close")
                #expect(head["Content-Length"] == nil)
                #expect(try #require(head["Date"]).hasSuffix(" GMT"))
                #expect(try client.readChunk() == "first\n")
                for text in ["second", "third\n\n"] {
                    #expect(source.send(text) == true)
                    #expect(try client.readChunk() == text)
                }
                source.run { $0.end() }
                #expect(try client.readChunk() == "")
                #expect(try client.isClosed())
                let end = source.end()
                #expect(end?.reason == .source)
                // The three chunks, with their sizes and line ends.
                #expect(end?.size == 11 + 11 + 12)
            }
        }
    }

    @Test("libmicrohttpd keeps nothing of a connection that has become a stream")
    func detached() async throws {
        let source = TestSource()
        try await withServer(Self.handler(["/stream": source])) { server in
            let client = try RawClient(port: server.port)
            try client.get("/stream")
            _ = try client.readResponse(isHead: true)
            await until { server.connectionCount == 0 }
            #expect(source.send("still here") == true)
            #expect(try client.readChunk() == "first\n")
            #expect(try client.readChunk() == "still here")
        }
    }

    @Test("A stream to an HTTP/1.0 client has no chunks and ends with the connection")
    func oldClient() async throws {
        let source = TestSource()
        try await withServer(Self.handler(["/stream": source])) { server in
            let client = try RawClient(port: server.port)
            try client.send("GET /stream HTTP/1.0\r\nHost: localhost\r\n\r\n")
            let head = try client.readResponse(isHead: true)
            #expect(head["Transfer-Encoding"] == nil)
            #expect(try client.readText(6) == "first\n")
            source.run { $0.end() }
            #expect(try client.isClosed())
        }
    }

    @Test("A HEAD request gets the fields of a stream and opens none")
    func head() async throws {
        let source = TestSource()
        try await withServer(Self.handler(["/stream": source])) { server in
            let client = try RawClient(port: server.port)
            try client.get("/stream", method: "HEAD")
            let head = try client.readResponse(isHead: true)
            #expect(head["Content-Type"] == "text/event-stream")
            #expect(head["Transfer-Encoding"] == "chunked")
            #expect(try client.isClosed())
        }
    }

    @Test("The end of a client ends its stream", arguments: ["close", "reset", "bytes"])
    func clientLeaves(way: String) async throws {
        let source = TestSource()
        try await withServer(Self.handler(["/stream": source])) { server in
            var client: RawClient? = try RawClient(port: server.port)
            try client?.get("/stream")
            _ = try client?.readResponse(isHead: true)
            _ = source.send("x")
            if way == "reset" { client?.resetWhenClosed() }
            if way == "bytes" {
                // Nothing may follow the request of a stream.
                try client?.get("/")
            } else {
                client = nil
            }
            #expect(source.end()?.reason == .client)
            withExtendedLifetime(client) {}
        }
    }

    @Test("A request behind that of a stream is not answered")
    func pipelined() async throws {
        let source = TestSource()
        try await withServer(Self.handler(["/stream": source])) { server in
            let client = try RawClient(port: server.port)
            let request = "HTTP/1.1\r\nHost: localhost\r\n\r\n"
            try client.send("GET /stream \(request)GET / \(request)")
            _ = try client.readResponse(isHead: true)
            #expect(try client.readChunk() == "first\n")
            #expect(source.send("next") == true)
            #expect(try client.readChunk() == "next")
        }
    }

    @Test("A stream whose client does not read refuses frames, and can send again when it reads")
    func slowClient() async throws {
        let source = TestSource()
        try await withServer(Self.handler(["/stream": source])) { server in
            let client = try RawClient(port: server.port)
            try client.get("/stream")
            _ = try client.readResponse(isHead: true)
            #expect(try client.readChunk() == "first\n")
            let text = String(repeating: "x", count: 60_000)
            var count = 0
            while source.send(text) == true { count += 1 }
            #expect(server.behindStreamCount == 1)
            // The system holds a few frames at most, not megabytes.
            #expect(count < 100)
            for _ in 0..<count { #expect(try client.readChunk() == text) }
            await until { source.canSendCount != 0 }
            #expect(server.behindStreamCount == 0)
            #expect(source.send("again") == true)
            #expect(try client.readChunk() == "again")
        }
    }

    @Test("The last chunk follows all others, however few of them the client has read")
    func lastChunk() async throws {
        let text = String(repeating: "x", count: 1000)
        let probe = TestSource()
        // With one of these counts, the system takes all frames and has no room for the last chunk.
        var counts = 0...0
        try await withServer(Self.handler(["/stream": probe])) { server in
            let client = try RawClient(port: server.port)
            try client.get("/stream")
            _ = try client.readResponse(isHead: true)
            var count = 0
            while server.behindStreamCount == 0, probe.send(text) == true { count += 1 }
            counts = max(count - 10, 0)...count
        }
        for count in counts {
            let source = TestSource()
            try await withServer(Self.handler(["/stream": source])) { server in
                let client = try RawClient(port: server.port)
                try client.get("/stream")
                _ = try client.readResponse(isHead: true)
                for _ in 0..<count { _ = source.send(text) }
                source.run { $0.end() }
                #expect(try client.readChunk() == "first\n")
                var chunk = try client.readChunk()
                while chunk == text { chunk = try client.readChunk() }
                #expect(chunk == "")
                #expect(try client.isClosed())
            }
        }
    }

    @Test("A stream that its source ends at once sends its head and the last chunk")
    func endAtOnce() async throws {
        try await withServer(
            TestHandler { _ in Response(.ok, body: .stream(EndingSource())) }
        ) { server in
            let client = try RawClient(port: server.port)
            try client.get("/")
            #expect(try client.readResponse(isHead: true).status == 200)
            #expect(try client.readChunk() == "")
            #expect(try client.isClosed())
        }
    }

    @Test("A client that does not read within the send timeout is reset")
    func stalled() async throws {
        let clock = ManualClock()
        let source = TestSource()
        let configuration = Server.Configuration.with(clock) {
            $0.sendTimeout = .milliseconds(200)
            $0.streamHeartbeat = .seconds(1000)
        }
        try await withServer(Self.handler(["/stream": source]), configuration) { server in
            let client = try RawClient(port: server.port)
            try client.get("/stream")
            _ = try client.readResponse(isHead: true)
            let text = String(repeating: "x", count: 60_000)
            while source.send(text) == true {}
            var ticks = 0
            while !client.isReset() {
                clock.tick()
                ticks += 1
            }
            // The send timeout is ten ticks; the thread of the streams may be late.
            #expect(ticks < 500)
            #expect(source.end()?.reason == .stalled)
            #expect(server.behindStreamCount == 0)
        }
    }

    @Test("If all streams together have too many unsent bytes, the oldest such stream is reset")
    func excess() async throws {
        let sources = (0..<3).map { _ in TestSource(nil) }
        let paths = Dictionary(uniqueKeysWithValues: sources.enumerated().map { ("/\($0)", $1) })
        // All frames together exceed the limit of 64 MiB.
        let piece = [UInt8](repeating: 0x78, count: 30 << 20)
        try await withServer(Self.handler(paths)) { server in
            var clients: [RawClient] = []
            for (number, source) in sources.enumerated() {
                let client = try RawClient(port: server.port)
                client.limitReceiveBuffer()
                try client.get("/\(number)")
                _ = try client.readResponse(isHead: true)
                #expect(source.run { $0.send(piece) } == true)
                clients.append(client)
            }
            #expect(sources[0].end()?.reason == .stalled)
            #expect(clients[0].isReset())
            // A stream with unsent bytes refuses a further frame.
            for source in sources.suffix(2) { #expect(source.send("more") == false) }
            #expect(server.behindStreamCount == 2)
        }
    }

    @Test("A silent stream sends heartbeats, and ends at its time limit")
    func deadlines() async throws {
        let clock = ManualClock()
        let source = TestSource(timeLimit: .seconds(2))
        let configuration = Server.Configuration.with(clock) { $0.streamHeartbeat = .seconds(1) }
        try await withServer(Self.handler(["/stream": source]), configuration) { server in
            let client = try RawClient(port: server.port)
            try client.get("/stream")
            _ = try client.readResponse(isHead: true)
            #expect(try client.readChunk() == "first\n")
            for _ in 0..<55 { clock.tick() }
            #expect(try client.readChunk() == ".")
            for _ in 0..<55 { clock.tick() }
            #expect(try client.readChunk() == "")
            #expect(try client.isClosed())
            #expect(source.end()?.reason == .lifetime)
        }
    }

    @Test("A stream that sends all the time has no heartbeats, and a check at each interval")
    func checks() async throws {
        let clock = ManualClock()
        let source = TestSource()
        let configuration = Server.Configuration.with(clock) { $0.streamHeartbeat = .seconds(1) }
        try await withServer(Self.handler(["/stream": source]), configuration) { server in
            let client = try RawClient(port: server.port)
            try client.get("/stream")
            _ = try client.readResponse(isHead: true)
            #expect(try client.readChunk() == "first\n")
            // Three seconds, in which a check can be late by a tenth of the interval.
            for _ in 0..<150 {
                clock.tick()
                #expect(source.send("more") == true)
                #expect(try client.readChunk() == "more")
            }
            #expect((2...3).contains(source.checkCount))
        }
    }

    @Test("A stop ends all streams cleanly")
    func stop() async throws {
        let sources = (0..<20).map { _ in TestSource() }
        let paths = Dictionary(uniqueKeysWithValues: sources.enumerated().map { ("/\($0)", $1) })
        let server = try makeServer(Self.handler(paths))
        let clients = try sources.indices.map { index in
            let client = try RawClient(port: server.port)
            try client.get("/\(index)")
            _ = try client.readResponse(isHead: true)
            return client
        }
        server.stop(grace: 0)
        for client in clients {
            #expect(try client.readChunk() == "first\n")
            #expect(try client.readChunk() == "")
            #expect(try client.isClosed())
        }
        for source in sources { #expect(source.end()?.reason == .shutdown) }
    }

    @Test("Streams that were opened and left, half of them by a reset, leave no descriptor open")
    func descriptors() async {
        // The test runs in a process of its own, because other tests open and close descriptors.
        await #expect(processExitsWith: .success) {
            func run(_ count: Int) async throws {
                let server = try makeServer(
                    TestHandler { _ in
                        Response(.ok, body: .stream(TestSource()))
                    })
                for round in 0..<count {
                    let client = try RawClient(port: server.port)
                    try client.get("/")
                    if round % 3 > 0 { _ = try client.readResponse(isHead: true) }
                    if round.isMultiple(of: 2) { client.resetWhenClosed() }
                }
                server.stop(grace: 0)
            }
            // The first run opens some descriptors that belong to libraries and stay open.
            try await run(10)
            let before = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
            try await run(1000)
            let after = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
            #expect(after == before)
        }
    }

    @Test("A stream whose client is gone before the first byte was never behind")
    func goneAtOnce() async throws {
        let handler = TestHandler { _ in Response(.ok, body: .stream(TestSource())) }
        let server = try makeServer(handler)
        for _ in 0..<300 {
            let client = try RawClient(port: server.port)
            client.resetWhenClosed()
            try client.get("/")
        }
        let client = try RawClient(port: server.port)
        try client.get("/")
        _ = try client.readResponse(isHead: true)
        server.stop(grace: 0)
        #expect(server.behindStreamCount == 0)
    }

    @Test("A stream counts as a connection of its address until it ends")
    func address() async throws {
        let source = TestSource()
        let configuration = Server.Configuration.with { $0.maximumConnectionsPerAddress = 1 }
        try await withServer(Self.handler(["/stream": source]), configuration) { server in
            let client = try RawClient(port: server.port)
            try client.get("/stream")
            _ = try client.readResponse(isHead: true)
            let other = try RawClient(port: server.port)
            try other.get("/")
            #expect(try other.readResponse().status == 503)
            source.run { $0.end() }
            _ = source.end()
            var status = 503
            while status == 503 {
                let last = try RawClient(port: server.port)
                try last.get("/")
                status = try last.readResponse().status
            }
            #expect(status == 200)
        }
    }
}
