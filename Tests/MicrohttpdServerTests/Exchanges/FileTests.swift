import Foundation
import FoundationNetworking
import HTTPCore
import TestSupport
import Testing

@testable import MicrohttpdServer

@Suite("File responses", .timeLimit(.minutes(10)))
struct FileTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file("file") }

    init() throws { folder = try TemporaryFolder() }

    private func write(_ count: Int) throws -> [UInt8] {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 13 &+ $0 >> 8) }
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return bytes
    }

    private func handler(_ range: Range<Int>) throws -> TestHandler {
        let file = try #require(try OpenFile(path: path))
        return TestHandler { _ in
            Response(.ok, body: .file(file, range))
        }
    }

    @Test(
        "A file is sent completely to each request of a connection",
        arguments: [0, 1, 4096, 3_000_000])
    func whole(count: Int) async throws {
        let bytes = try write(count)
        try await withServer(handler(0..<count)) { server in
            let client = try RawClient(port: server.port)
            for _ in 0..<3 {
                try client.get("/")
                let response = try client.readResponse()
                #expect(response["Content-Length"] == "\(count)")
                #expect(response.body == bytes)
            }
        }
    }

    @Test(
        "A range of a file is sent without the rest of the file",
        arguments: [0..<1, 0..<1000, 17..<18, 4095..<4097, 9999..<10_000, 5000..<5000])
    func part(range: Range<Int>) async throws {
        let bytes = try write(10_000)
        try await withServer(handler(range)) { server in
            let client = try RawClient(port: server.port)
            for _ in 0..<2 {
                try client.get("/")
                #expect(try client.readResponse().body == Array(bytes[range]))
            }
        }
    }

    @Test("The response to HEAD has the length of a file and no body")
    func head() async throws {
        _ = try write(1000)
        try await withServer(handler(0..<1000)) { server in
            let client = try RawClient(port: server.port)
            for _ in 0..<2 {
                try client.get("/", method: "HEAD")
                let response = try client.readResponse(isHead: true)
                #expect(response.status == 200)
                #expect(response["Content-Length"] == "1000")
            }
        }
    }

    @Test("A removed file is still sent while it is open")
    func removed() async throws {
        let bytes = try write(1000)
        let handler = try handler(0..<1000)
        try FileManager.default.removeItem(atPath: path)
        try await withServer(handler) { server in
            let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/"))
            let (data, _) = try await URLSession.shared.data(from: url)
            #expect(data == Data(bytes))
        }
    }

    @Test("A file that shrinks during the response closes the connection at once")
    func truncated() async throws {
        let count = 20_000_000
        _ = try write(count)
        try await withServer(handler(0..<count)) { server in
            let client = try RawClient(port: server.port)
            try client.get("/")
            // The head has arrived, and most of the file exceeds the buffers of the system.
            #expect(client.canBeRead(within: 100_000))
            #expect(truncate(path, 5) == 0)
            // The server's clock stands still, so that no deadline ends the connection.
            #expect(throws: RawClient.Failure.self) { try client.readResponse() }
            let other = try RawClient(port: server.port)
            try other.get("/at-once")
            #expect(try other.readResponse().text == "at once")
        }
    }

    @Test("One file is sent to many clients at once")
    func many() async throws {
        let bytes = try write(200_000)
        try await withServer(handler(0..<200_000)) { server in
            let clients = try (0..<20).map { _ in try RawClient(port: server.port) }
            for client in clients { try client.get("/") }
            for client in clients { #expect(try client.readResponse().body == bytes) }
        }
    }
}
