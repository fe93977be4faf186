import HTTPCore
import Testing

@testable import MicrohttpdServer

@Suite("Limits on request heads", .timeLimit(.minutes(10)))
struct HeadLimitTests {
    private let handler = TestHandler { _ in .text("done") }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let head: String
        let status: Int
        let code: String

        init(
            _ description: String, _ fields: String = "", target: String = "/",
            version: String = "1.1", _ status: Int = 200, _ code: String = "done"
        ) {
            testDescription = description
            head = "GET \(target) HTTP/\(version)\r\nHost: localhost\r\n\(fields)\r\n"
            self.status = status
            self.code = code
        }
    }

    private static func field(_ size: Int) -> String {
        "X: \(String(repeating: "x", count: size))\r\n"
    }

    private static func target(_ size: Int) -> String {
        "/" + String(repeating: "x", count: size - 1)
    }

    private static let sound = [
        Case("large", field(16_000)),
        Case("100 fields", String(repeating: "X: y\r\n", count: 99)),
        Case("long target", target: target(8192)),
        Case("old version", version: "1.0"),
    ]

    private static let unsound = [
        Case("too large", field(16_400), 431, "header-fields-too-large"),
        Case("far too large", field(28_000), 431, "header-fields-too-large"),
        Case(
            "101 fields", String(repeating: "X: y\r\n", count: 100), 431, "header-fields-too-large"),
        Case("301 fields", String(repeating: "X:\r\n", count: 300), 431, "header-fields-too-large"),
        Case("too long", target: target(8193), 414, "uri-too-long"),
        Case("far too long", target: target(24_000), 414, "uri-too-long"),
        Case("later version", version: "1.2", 505, "version-not-supported"),
        Case("last version", version: "1.9", 505, "version-not-supported"),
    ]

    @Test("A request head of the maximum size is accepted", arguments: sound)
    func taken(_ sound: Case) async throws {
        try await withServer(handler) { server in
            let client = try RawClient(port: server.port)
            try client.send(sound.head)
            #expect(try client.readResponse().text == sound.code)
        }
    }

    @Test(
        "A request head that is too large gets a problem, and the connection is closed",
        arguments: unsound)
    func refused(_ unsound: Case) async throws {
        try await withServer(handler) { server in
            let client = try RawClient(port: server.port)
            try client.send(unsound.head)
            let response = try client.readResponse()
            #expect(response.status == unsound.status)
            #expect(response.text == unsound.code)
            #expect(try client.isClosed())
        }
        #expect(handler.requestCount == 0)
    }

    @Test("A higher limit accepts larger request heads")
    func larger() async throws {
        try await withServer(handler, .with { $0.maximumHeaderSize = 60_000 }) { server in
            let client = try RawClient(port: server.port)
            for size in [55_000, 20] {
                try client.send(Case("", Self.field(size)).head)
                #expect(try client.readResponse().text == "done")
            }
        }
    }
}
