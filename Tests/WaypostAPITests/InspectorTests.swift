import Foundation
import HTTPCore
import TestSupport
import Testing
import WaypostTesting

@testable import WaypostAPI

/// Tests of the files of the inspector; `Tests/page` tests the page in a browser.
@Suite(.timeLimit(.minutes(10))) struct InspectorTests {
    private let service: TestService

    init() throws { service = try TestService() }

    /// The names of the page's files in the checkout.
    private static let files: [String] = {
        let folder = checkout.appending(path: "Sources/Service/WaypostAPI/Inspector/Resources")
        let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
        return (names ?? []).filter { $0 != "index.html" }.sorted()
    }()

    private static let policy = """
        default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
        base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
        require-trusted-types-for 'script'; trusted-types 'none'
        """

    private static let checkout = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    @Test("The root leads to the inspector") func start() async throws {
        let reply = try await service.api.send("GET", "/")
        #expect(reply.status == 307)
        #expect(reply.headers["Location"] == "/inspector")
        #expect(try await service.api.send("GET", "/?a=1").code == "invalid-query")
    }

    @Test("Each file of the inspector is served with a policy that allows only its own files")
    func files() async throws {
        #expect(Self.files.count == 14)
        var size = 0
        for path in ["/inspector"] + Self.files.map({ "/inspector/\($0)" }) {
            let reply = try await service.api.send("GET", path)
            #expect(reply.status == 200, "\(path)")
            size += reply.bytes.count
            #expect(reply.headers["Cache-Control"] == "no-cache")
            #expect(reply.headers["X-Content-Type-Options"] == "nosniff")
            #expect(reply.headers["Referrer-Policy"] == "no-referrer")
            #expect(reply.headers["Cross-Origin-Opener-Policy"] == "same-origin")
            #expect(reply.headers["Cross-Origin-Resource-Policy"] == "same-origin")
            #expect(reply.headers["Content-Security-Policy"] == Self.policy)
            let tag = try #require(reply.headers["ETag"])
            let again = try await service.api.send("GET", path, headers: ["If-None-Match": tag])
            #expect(again.status == 304)
        }
        #expect(size <= 80 * 1024)
        #expect(try await service.api.send("GET", "/inspector/none.js").status == 404)
    }

    @Test("The page has neither inline scripts nor inline styles") func inline() async throws {
        let page = String(
            decoding: try await service.api.send("GET", "/inspector").bytes, as: UTF8.self)
        #expect(page.contains("<script type=\"module\" src=\"/inspector/main.js\"></script>"))
        #expect(page.ranges(of: "<script").count == 1)
        #expect(!page.contains("style="))
        #expect(page.ranges(of: /\son\w+=/).isEmpty)
    }

    @Test("The inspector can be turned off") func off() async throws {
        var configuration = API.Configuration()
        configuration.hasInspector = false
        let service = try TestService(configuration: configuration)
        for path in ["/", "/inspector", "/inspector/main.js"] {
            #expect(try await service.api.send("GET", path).status == 404)
        }
    }
}
