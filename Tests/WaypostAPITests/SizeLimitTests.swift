import HTTPCore
import JSON
import SessionStoreTesting
import Testing
import WaypostTesting

@testable import NavigationRules

/// Tests of the bounds on stored and sent data from clients.
@Suite struct SizeLimitTests {
    private static let service = SharedService { try TestService() }

    private func patch(_ client: Client, _ body: String) async throws -> Reply {
        try await client.send("PATCH", "view-controllers/vc2", body)
    }

    @Test(
        "A text of the maximum length is accepted, and one with another character is refused",
        arguments: [
            ("/title", #"{"title": "TEXT"}"#),
            ("/navigationItem/title", #"{"navigationItem": {"title": "TEXT"}}"#),
            (
                "/navigationItem/backButtonTitle",
                #"{"navigationItem": {"backButtonTitle": "TEXT"}}"#
            ),
            ("/navigationItem/leftItems/1", #"{"navigationItem": {"leftItems": ["a", "TEXT"]}}"#),
            ("/navigationItem/rightItems/0", #"{"navigationItem": {"rightItems": ["TEXT"]}}"#),
            ("/bottomBarText", #"{"bottomBarText": "TEXT"}"#),
            ("/tabBarItem/title", #"{"tabBarItem": {"title": "TEXT"}}"#),
            ("/tabBarItem/badge", #"{"tabBarItem": {"badge": "TEXT"}}"#),
            ("/toolbarItems/1", #"{"toolbarItems": ["a", "TEXT"]}"#),
        ])
    func texts(_ pointer: String, _ body: String) async throws {
        let client = try await Client.loggedIn(Self.service.get())
        for letter in ["x", "é", "🦊"] {
            let longest = String(repeating: letter, count: 1024)
            let taken = try await patch(client, body.replacing("TEXT", with: longest))
            #expect(taken.status == 200)
            let before = try await client.session()
            let refused = try await patch(client, body.replacing("TEXT", with: longest + letter))
            #expect(refused.code == "invalid-body")
            #expect(refused.json["errors"]?[0]?["pointer"]?.text == pointer)
            #expect(
                refused.json["errors"]?[0]?["detail"]?.text
                    == "expected at most 1024 characters, found 1025")
            #expect(try await client.session() == before)
        }
    }

    @Test(
        "Twenty bar items are accepted, and 21 are refused",
        arguments: [
            #"{"navigationItem": {"leftItems": ITEMS}}"#,
            #"{"navigationItem": {"rightItems": ITEMS}}"#, #"{"toolbarItems": ITEMS}"#,
        ])
    func items(_ template: String) async throws {
        let client = try await Client.loggedIn(Self.service.get())
        func body(_ count: Int) -> String {
            let items = Array(repeating: #""x""#, count: count).joined(separator: ",")
            return template.replacing("ITEMS", with: "[\(items)]")
        }
        #expect(try await patch(client, body(20)).status == 200)
        let refused = try await patch(client, body(21))
        #expect(refused.status == 422)
        #expect(
            refused.json["errors"]?[0]?["detail"]?.text == "expected at most 20 items, found 21")
    }

    @Test("Of several parameters that are too long, the problem names the alphabetically first")
    func parameters() async throws {
        let client = try await Client.loggedIn(Self.service.get())
        let long = String(repeating: "x", count: 1025)
        let members = (0..<10).shuffled().map { "\"p\($0)\": \"\(long)\"" }.joined(separator: ", ")
        let refused = try await client.send(
            "POST", "push", #"{"scene": "books", "parameters": {\#(members)}}"#)
        #expect(refused.json["errors"]?[0]?["pointer"]?.text == "/parameters/p0")
    }

    @Test("The size of a text is the number of bytes that it takes in JSON")
    func textSize() {
        let ascii = (UInt8(0)..<128).map { String(Unicode.Scalar($0)) }
        for text in ascii + ["é", "\u{2028}", "🦊"] {
            var json = JSONWriter()
            json.string(text)
            #expect(text.sizeInJSON == json.size, "\(Array(text.utf8))")
        }
    }

    @Test(
        "Texts beyond the size limit of a session are refused until others are removed", .everyStore
    )
    func sessionSize() async throws {
        let client = try await Client.loggedIn(Self.service.get())
        // 20 items of 1,024 quotes take 41,000 bytes, because a quote takes two bytes in JSON.
        let items = Array(repeating: #""\#(String(repeating: "\\\"", count: 1024))""#, count: 20)
        let list = items.joined(separator: ",")
        var refused: Reply?
        for number in 3...20 where refused == nil {
            _ = try await client.send("POST", "push", #"{"scene": "titles"}"#)
            let reply = try await client.send(
                "PATCH", "view-controllers/vc\(number)",
                #"{"navigationItem": {"leftItems": [\#(list)]}}"#)
            if reply.status != 200 { refused = reply }
        }
        let reply = try #require(refused)
        #expect(reply.status == 422)
        #expect(reply.code == "session-too-large")
        let depth = try #require(try await client.session()["viewControllers"]?.count)
        // The limit of 262,144 bytes has room for six times 41,000 bytes.
        #expect(depth == 1 + 7)
        let size = try await client.send("GET", "").bytes.count
        #expect(size < 300_000)
        _ = try await client.send("POST", "pop")
        _ = try await client.send("POST", "pop")
        _ = try await client.send("POST", "push", #"{"scene": "titles"}"#)
        let id = try #require(
            try await client.session()["viewControllers"]?.elements?.last?["id"]?.text)
        let again = try await client.send(
            "PATCH", "view-controllers/\(id)", #"{"navigationItem": {"leftItems": [\#(list)]}}"#)
        #expect(again.status == 200)
    }

    @Test("A link of more than four times the maximum text length is refused")
    func link() async throws {
        let client = try await Client(Self.service.get().api)
        let path = "/authors/" + String(repeating: "x", count: 5000)
        let reply = try await client.send("POST", "open", #"{"path": "\#(path)"}"#)
        #expect(reply.code == "malformed-link")
        #expect(reply.json["errors"]?[0]?["pointer"]?.text == "/path")
    }

    @Test(
        "A body with thousands of defects gets a response that lists twenty",
        arguments: [
            ("POST", "batch", #"{"operations": ["#, "{}", "]}"),
            ("POST", "batch", #"{"operations": ["#, "1", "]}"),
            ("POST", "batch", #"{"operations": ["#, #"{"x": {}}"#, "]}"),
            ("POST", "set-view-controllers", #"{"viewControllers": ["#, "{}", "]}"),
            ("POST", "set-view-controllers", #"{"viewControllers": ["#, #"{"a": 1, "b": 2}"#, "]}"),
        ])
    func defects(_ method: String, _ path: String, _ start: String, _ entry: String, _ end: String)
        async throws
    {
        let client = try await Client.loggedIn(Self.service.get())
        for count in [30, 3900, 20_000] where count * (entry.utf8.count + 1) < 65_000 {
            let entries = Array(repeating: entry, count: count).joined(separator: ",")
            let reply = try await client.send(method, path, start + entries + end)
            #expect(reply.code == "invalid-body")
            #expect(try #require(reply.json["errors"]?.count) <= 20)
            #expect(reply.bytes.count < 8000)
        }
    }

    @Test("Twenty of thousands of unknown members and parameters are listed")
    func unknownMembers() async throws {
        let client = try await Client.loggedIn(Self.service.get())
        let members = (0..<5000).map { #""m\#($0)": 1"# }.joined(separator: ",")
        let unknown = try await client.send("POST", "pop", "{\(members)}")
        #expect(unknown.json["errors"]?.count == 20)
        #expect(
            unknown.json["detail"]?.text?.hasSuffix("(and more; the first 20 are listed)") == true)
        let parameters = (0..<100).map { #""m\#($0)": "1""# }.joined(separator: ",")
        let push = try await client.send(
            "POST", "push", #"{"scene": "books", "parameters": {\#(parameters)}}"#)
        #expect(push.code == "invalid-body")
        #expect(push.json["errors"]?.count == 20)
    }
}
