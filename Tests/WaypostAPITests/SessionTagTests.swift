import HTTPCore
import JSON
import SessionStoreTesting
import Sessions
import TestSupport
import Testing
import WaypostAPI
import WaypostTesting

/// Tests that a strong entity tag names one representation, even after a restart with another
/// storyboard.
@Suite(.everyStore) struct SessionTagTests {
    private static let push = #"{"scene": "signUp"}"#

    private let folder: TemporaryFolder
    private let store: any SessionStore

    init() throws {
        folder = try TemporaryFolder()
        store = try StoreKind.current.makeStore(in: folder)
    }

    /// Starts the service on the same store, with a storyboard of two scenes.
    private func start(
        title: String = "First", scene: String = "first", bottomBar: String = "none"
    ) throws -> API {
        let storyboard = """
            { "name": "Test", "initialScene": "\(scene)", "lifecycle": "forwarded", "scenes": {
                "\(scene)": { "kind": "blank", "title": "\(title)", "bottomBar": "\(bottomBar)" },
                "second": { "kind": "blank", "title": "Second" } } }
            """
        return try TestService(
            storyboard: folder.write(storyboard, to: "storyboard.json"), store: store
        ).api
    }

    private func read(_ api: API, _ client: Client, unless tag: String? = nil) async throws -> Reply
    {
        try await api.send(
            "GET", "/v1/sessions/\(client.id)", token: client.token,
            headers: tag.map { ["If-None-Match": $0] } ?? [:])
    }

    @Test("A session has different entity tags with storyboards of different texts")
    func otherTexts() async throws {
        let api = try start()
        let client = try await Client(api)
        let before = try await read(api, client)
        let tag = try #require(before.headers["ETag"])
        for other in [try start(title: "Other"), try start(bottomBar: "other")] {
            let after = try await read(other, client, unless: tag)
            #expect(after.status == 200)
            #expect(after.headers["ETag"] != tag)
            #expect(after.json["revision"] == before.json["revision"])
        }
        #expect(try await read(try start(), client, unless: tag).status == 304)
    }

    @Test(
        "A new root after a lost scene is stored as a change with events when it is first read")
    func freshRoot() async throws {
        let client = try await Client(try start())
        let other = try start(scene: "other")
        let fresh = try await read(other, client)
        #expect(fresh.json["revision"]?.number == 2)
        #expect(fresh.json["viewControllers"]?[0]?["id"]?.text == "vc2")
        let events = try await other.send(
            "GET", "/v1/sessions/\(client.id)/events", token: client.token)
        #expect(
            events.json["items"]?.elements?.compactMap { $0["event"]?.text }.suffix(5) == [
                "viewDidLoad", "willShow", "viewWillAppear", "didShow", "viewDidAppear",
            ])
        #expect(
            events.json["items"]?.elements?.compactMap { $0["seq"]?.number }
                == Array(1...10))
        // A restarted service finds the state that the first one stored.
        let again = try await read(try start(scene: "other"), client)
        #expect(again.bytes == fresh.bytes)
        #expect(again.headers["ETag"] == fresh.headers["ETag"])
        // With the first storyboard again, the revision increases and no id is reused.
        let back = try await read(try start(), client)
        #expect(back.json["revision"]?.number == 3)
        #expect(back.json["viewControllers"]?[0]?["id"]?.text == "vc3")
    }

    @Test("The history has the title that a new root after a lost scene shows")
    func titleOfFreshRoot() async throws {
        let client = try await Client(try start())
        _ = try await client.send("POST", "push", #"{"scene": "second"}"#)
        let other = try start(scene: "other")
        _ = try await read(other, client)
        let history = try await other.send(
            "GET", "/v1/sessions/\(client.id)/history", token: client.token)
        #expect(
            history.json["items"]?.elements?.map { $0["title"]?.text } == ["Second", "First"])
    }

    @Test("A later session with the same id has other entity tags at the same revision")
    func sameID() async throws {
        let clock = TestEnvironment()
        let service = try TestService(store: store, environment: clock.environment)
        let seeded = SeededSession(clock)
        let client = try await seeded.open(in: service)
        let paths = ["", "screen", "screen?limit=1", "history"]
        var tags: [String] = []
        for path in paths {
            tags.append(try #require(try await client.send("GET", path).headers["ETag"]))
        }
        #expect(Set(tags).count == paths.count)
        #expect(try await client.send("DELETE", "").status == 204)
        clock.advance(by: .milliseconds(1))
        _ = try await seeded.open(in: service)
        for (path, tag) in zip(paths, tags) {
            let later = try await client.send("GET", path, headers: ["If-None-Match": tag])
            #expect(later.status == 200, "\(path)")
        }
    }

    @Test("A change whose If-Match has the tag of another storyboard is refused")
    func lostUpdate() async throws {
        let client = try await Client(try start())
        let one = try start(scene: "one")
        let tag = try #require(try await read(one, client).headers["ETag"])
        let late = try await start(title: "Other", scene: "one").send(
            "POST", "/v1/sessions/\(client.id)/push", #"{"scene": "second"}"#, token: client.token,
            headers: ["If-Match": tag])
        #expect(late.status == 412)
        let right = try await start(scene: "one").send(
            "POST", "/v1/sessions/\(client.id)/push", #"{"scene": "second"}"#, token: client.token,
            headers: ["If-Match": tag])
        #expect(right.status == 200)
    }
}
