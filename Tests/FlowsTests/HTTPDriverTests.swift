import Foundation
import HTTPCore
import MicrohttpdServer
import Sockets
import Testing
import WaypostTesting

@testable import Flows

/// Flows against a running service.
@Suite struct HTTPDriverTests {
    private static let password = "a long password"

    /// A server that is no service of Waypost. It has a name, and one answer to all other requests.
    private struct OtherHandler: RequestHandler {
        let storyboard: String
        let status: Status
        let text: String

        func answer(_ request: Request) -> HTTPCore.Answer {
            request.target.path == "/v1/storyboard"
                ? .ready(Response(.ok, body: .bytes(Array(storyboard.utf8))))
                : .ready(Response(status, body: .bytes(Array(text.utf8))))
        }

        func rejectionResponse(for problem: Problem, headers: HeaderFields) -> Response {
            Response(problem.status)
        }
    }

    private func driver(_ service: TestService) throws -> HTTPDriver {
        try HTTPDriver(RemoteService(service.base.absoluteString), lifecycle: nil, isStrict: nil)
    }

    /// Returns the reason of the failure that `act` throws; nil if it throws none.
    private func reason(_ act: () async throws -> Void) async -> String? {
        do { try await act() } catch { return "\(error)" }
        return nil
    }

    @Test(
        "A server that is no service of Waypost is refused with its answer",
        arguments: [
            ("hello", 200, "", "URL: no Waypost service responds there (status 200)"),
            ("{}", 200, "", "URL: no Waypost service responds there (status 200)"),
            (#"{"name": "A"}"#, 200, "hello", "POST /v1/sessions: the response is not JSON"),
            (#"{"name": "A"}"#, 200, "", "the service opens no session: status 200"),
            (#"{"name": "A"}"#, 503, "{}", "the service opens no session: status 503"),
            (
                #"{"name": "A"}"#, 429, #"{"detail": "try again in 9 s"}"#,
                "the service opens no session: try again in 9 s"
            ),
        ])
    func otherServer(storyboard: String, status: Int, text: String, expected: String) async throws {
        let server = try Server(
            Server.Configuration(), listener: .listen(host: "127.0.0.1", port: 0),
            handler: OtherHandler(storyboard: storyboard, status: Status(status), text: text))
        defer { server.stop(grace: 0) }
        let url = "http://127.0.0.1:\(server.port)"
        let found = await reason {
            _ = try HTTPDriver(RemoteService(url), lifecycle: nil, isStrict: nil)
        }
        #expect(found == expected.replacing("URL", with: url))
    }

    @Test("A service that closes its connections sends no valid response")
    func noResponse() async throws {
        let listener = try Listener.listen(host: "127.0.0.1", port: 0)
        let port = listener.port
        listener.start { connection, _, _ in close(connection) }
        #expect(
            await reason { _ = try RemoteService("http://127.0.0.1:\(port)") }
                == "GET /v1/storyboard: the service sent no valid response")
    }

    @Test("A service that does not run is named with the command that starts it")
    func noService() async {
        #expect(
            await reason { _ = try RemoteService("http://127.0.0.1:1") }
                == "127.0.0.1:1: nobody listens there: start `waypost serve`")
    }

    @Test("A row of a table with more rows than a response has is found by its title")
    func manyRows() async throws {
        let folder = try FlowFolder()
        let rows = (0..<2100).map { #"{"title": "Row \#($0)", "segue": "more"}"# }
        try folder.write(
            """
            {"name": "A", "initialScene": "nav", "scenes": {
              "nav": {"kind": "navigation", "root": "home"},
              "home": {"kind": "table", "title": "Home", "rows": [\(rows.joined(separator: ","))],
                "segues": [{"identifier": "more", "kind": "show", "scene": "more"}]},
              "more": {"kind": "blank", "title": "More"}}}
            """, "app.json")
        let service = try TestService(storyboard: folder.path("app.json"))
        let steps = ["Row 999", "Row 1000", "Row 2099"].map {
            "  - select-row: \($0)\n    expect: { stack: [Home, More] }\n  - back\n"
        }
        let file = try folder.write("name: A\nsteps:\n\(steps.joined())")
        let result = try await run(file, against: service)[0]
        #expect(result.status == .passed, "\(result.failure?.reason ?? "")")
        #expect(try await driver(service).rowTitles() == (0..<2100).map { "Row \($0)" })
    }

    @Test(
        "A step has the same result over HTTP as in the process",
        arguments: [
            "patch: { title: X }\n    refused: invalid-body",
            "patch: { viewController: vc1, animated: true }\n    refused: invalid-body",
            "sign-up: NAME\n    expect: { auth: NAME }",
            "sign-up: Name\n    expect: { auth: Name }\n  - log-out\n  - log-in: NAME\n"
                + "    expect: { auth: Name }",
            "sign-up: NAMEs\n    refused: invalid-body",
            "sign-up: ab\n    refused: invalid-body",
        ])
    func sameResult(step: String) async throws {
        let step = step.replacing("NAME", with: String(repeating: "ada.", count: 16))
            .replacing("Name", with: String(repeating: "Ada.", count: 16))
        let folder = try FlowFolder()
        let file = try folder.write("name: A\nsteps:\n  - \(step)")
        for results in [
            try await run(file, against: TestService()), try await runLocally(file),
        ] {
            #expect(results[0].status == .passed, "\(results[0].failure?.reason ?? "")")
        }
    }

    @Test("A flow cannot revoke a credential before a log-in, nor restart a remote service")
    func refused() async throws {
        let service = try TestService()
        let remote = try driver(service)
        let local = try await LocalDriver(
            LocalApp(loadApp(nil)), lifecycle: nil, isStrict: nil)
        for driver in [remote, local] as [any FlowDriver] {
            #expect(
                await reason { try await driver.revoke() }
                    == "no user is logged in, so that there is no credential to revoke")
        }
        #expect(
            await reason { try await remote.restart() }
                == "restart runs in the process alone, not with --url")
    }

    @Test("An account that cannot be made is named with the reason, in the process and over HTTP")
    func noAccount() async throws {
        let service = try TestService()
        let local = try await LocalDriver(
            LocalApp(loadApp(nil)), lifecycle: nil, isStrict: nil)
        for driver in [try driver(service), local] as [any FlowDriver] {
            #expect(
                await reason { try await driver.makeAccount("ada", "short") }
                    == "the account ada: /password: expected 8 to 256 bytes")
        }
        let closed = try TestService(isSignUpOpen: false)
        #expect(
            await reason { try await driver(closed).makeAccount("ada", Self.password) }
                == "the account ada: sign-up is closed: ask the operator for an account")
    }

    @Test("A session that exceeds the quota, and a session that has ended, fail with the reason")
    func noSession() async throws {
        let service = try TestService(sessionQuota: 1)
        let driver = try driver(service)
        for (act, failure) in [
            ({ try await driver.fork() }, "the session cannot be forked: "),
            (
                { try await driver.makeAccount("ada", Self.password) },
                "the account ada: the service opens no session: "
            ),
        ] as [(() async throws -> Void, String)] {
            let found = await reason(act)
            #expect(
                found?.hasPrefix(failure + "the limit sessions of 1 in 600 s is reached") == true,
                "\(found ?? "")")
        }
        await driver.end()
        #expect(
            await reason { _ = try await driver.session() }
                == "no session has this id and this token")
    }
}
