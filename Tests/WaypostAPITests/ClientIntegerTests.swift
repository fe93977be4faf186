import HTTPCore
import JSON
import SessionStoreTesting
import Testing
import WaypostTesting

/// Tests of integers from clients at the bounds of all integer types. No integer may end the
/// process.
@Suite struct ClientIntegerTests {
    private static let service = SharedService { try TestService() }

    private static let extremes = [
        "0", "1", "2147483647", "2147483648", "4294967296", "9007199254740991",
        "9007199254740992", "9223372036854775806", "9223372036854775807", "9223372036854775808",
        "18446744073709551616", "99999999999999999999999999999999999999",
    ]

    @Test("Items after an extremely large number are refused", .everyStore, arguments: extremes)
    func after(_ number: String) async throws {
        let client = try await Client.loggedIn(Self.service.get())
        for list in ["events", "history", "screen"] {
            for limit in ["1", "1000"] {
                let reply = try await client.send("GET", "\(list)?after=\(number)&limit=\(limit)")
                #expect(reply.status == (number.count > 2 ? 400 : 200))
                #expect(reply.code == (number.count > 2 ? "invalid-query" : nil))
            }
        }
    }

    @Test("An extremely large limit is refused", arguments: extremes.dropFirst(2))
    func limit(_ number: String) async throws {
        let client = try await Client.loggedIn(Self.service.get())
        for path in ["screen?limit=\(number)", "events?limit=\(number)"] {
            #expect(try await client.send("GET", path).code == "invalid-query")
        }
    }

    @Test(
        "Extremely large rows, segments and ids are refused",
        arguments: extremes.dropFirst(2) + extremes.dropFirst(2).map { "-\($0)" }
            + ["1e18", "-1e18", "1e300"])
    func bodies(_ number: String) async throws {
        let client = try await Client.loggedIn(Self.service.get())
        let before = try await client.session()
        let bodies = [
            ("POST", "select-row", #"{"row": \#(number)}"#),
            ("POST", "select-segment", #"{"index": \#(number)}"#),
            ("POST", "pop-to", #"{"viewController": "vc\#(number)"}"#),
        ]
        for (method, path, body) in bodies {
            let reply = try await client.send(method, path, body)
            #expect([400, 404, 422].contains(reply.status), "\(path) \(reply.status)")
        }
        #expect(try await client.session() == before)
    }

    @Test(
        "A position with extremely large integers is answered or refused", .everyStore,
        arguments: extremes)
    func position(_ number: String) async throws {
        let client = try await Client(Self.service.get().api)
        let body = #"{"username": "\#(client.id.prefix(20))", "password": "a long password"}"#
        let credential = try #require(
            try await client.send("POST", "sign-up", body).json["credential"]?.text)
        let id = String(repeating: "0", count: 32)
        for list in ["credentials", "sessions", "sessions/\(client.id)/tokens"] {
            let reply = try await client.api.send(
                "GET", "/v1/account/\(list)?after=\(number)-\(id)", token: credential)
            #expect([200, 400].contains(reply.status))
        }
    }
}
