import JSON
import SessionStoreTesting
import Testing
import WaypostTesting

/// The properties of a live view controller that clients set, beside the conformance cases.
@Suite struct RunTimeTests {
    private static let service = SharedService { try TestService() }

    private func patch(
        _ client: Client, _ id: String, _ body: String, headers: [String: String] = [:]
    ) async throws -> Reply {
        try await client.send("PATCH", "view-controllers/\(id)", body, headers: headers)
    }

    @Test("Equal parameters change nothing: the revision and the entity tag are as before")
    func equalParameters() async throws {
        let client = try await Client.loggedIn(Self.service.get())
        _ = try await client.send("POST", "select-row", #"{"row": 13}"#)
        let body = #"{"parameters": {"author": "oscar-wilde"}}"#
        let first = try await patch(client, "vc3", body)
        #expect(first.json["changed"]?.flag == true)
        #expect(first.json["session"]?["navigationBar"]?["title"]?.text == "Oscar Wilde")
        let second = try await patch(client, "vc3", body)
        #expect(second.json["changed"]?.flag == false)
        #expect(second.headers["ETag"] == first.headers["ETag"])
        #expect(second.json["session"] == first.json["session"])
    }

    @Test("The rows and the picture of a screen follow the parameters of its view controller")
    func content() async throws {
        let client = try await Client.loggedIn(Self.service.get())
        let path = #"{"path": "/authors/jules-verne/books/from-the-earth-to-the-moon"}"#
        _ = try await client.send("POST", "open", path)
        let parameters = #"{"parameters": {"author": "oscar-wilde", "book": "de-profundis"}}"#
        #expect(try await patch(client, "vc4", parameters).status == 200)
        let image = try await client.send("GET", "screen").json["image"]
        let url = "/v1/catalog/authors/oscar-wilde/books/de-profundis/cover"
        #expect(image?["url"]?.text == url)
        _ = try await client.send("POST", "back")
        _ = try await patch(client, "vc3", #"{"parameters": {"author": "jane-austen"}}"#)
        let rows = try await client.send("GET", "screen").json["rows"]?.elements
        #expect(rows?.first?["title"]?.text == "Sense and Sensibility")
        #expect(rows?.first?["parameters"]?["author"]?.text == "jane-austen")
    }

    @Test("A wrong parameter is refused with the same members as at a push")
    func sameProblems() async throws {
        let client = try await Client.loggedIn(Self.service.get())
        _ = try await client.send("POST", "select-row", #"{"row": 13}"#)
        for parameters in ["{}", #"{"author": "nobody"}"#, #"{"author": "a", "b": "c"}"#, "[]"] {
            let pushed = try await client.send(
                "POST", "push", #"{"scene": "books", "parameters": \#(parameters)}"#)
            let patched = try await patch(client, "vc3", #"{"parameters": \#(parameters)}"#)
            #expect(patched.status == 422 && patched.json["errors"] == pushed.json["errors"])
        }
    }

    @Test(
        "Parameters, bottom bar text and toolbar items are as they were after a restart",
        .everyStore)
    func restart() async throws {
        let first = try TestService()
        let client = try await Client.loggedIn(first)
        _ = try await patch(client, "vc2", #"{"bottomBarText": "3 unread", "title": "Writers"}"#)
        _ = try await client.send("POST", "select-segment", #"{"index": 1}"#)
        _ = try await client.send("POST", "select-segment", #"{"index": 0}"#)
        _ = try await client.send("POST", "select-row", #"{"row": 13}"#)
        let change = #"{"parameters": {"author": "oscar-wilde"}, "toolbarItems": ["Edit"]}"#
        #expect(try await patch(client, "vc4", change).status == 200)
        let before = try await client.session()
        #expect(before["navigationBar"]?["title"]?.text == "Oscar Wilde")
        #expect(before["toolbar"]?["items"]?.elements?.map(\.text) == ["Edit"])
        #expect(before["segmentedControl"]?["segments"]?[0]?["title"]?.text == "Writers")
        let second = try TestService(store: first.store)
        let restarted = Client(second.api, id: client.id, token: client.token)
        #expect(try await restarted.session() == before)
        let back = try await restarted.send("POST", "back").json
        #expect(back["session"]?["bottomBar"]?["text"]?.text == "3 unread")
        #expect(back["events"]?.elements?.count == 6)
    }

    @Test(
        "An Idempotency-Key replays a change of parameters and does not make it again", .everyStore)
    func idempotency() async throws {
        let client = try await Client.loggedIn(Self.service.get())
        _ = try await client.send("POST", "select-row", #"{"row": 13}"#)
        let key = ["Idempotency-Key": "set-author"]
        let body = #"{"parameters": {"author": "oscar-wilde"}}"#
        let first = try await patch(client, "vc3", body, headers: key)
        _ = try await patch(client, "vc3", #"{"parameters": {"author": "jane-austen"}}"#)
        let again = try await patch(client, "vc3", body, headers: key)
        #expect(again.headers["Idempotency-Replayed"] == "true")
        #expect(again.json["changed"]?.flag == true && again.json == first.json)
        let title = try await client.session()["navigationBar"]?["title"]?.text
        #expect(title == "Jane Austen")
    }
}
