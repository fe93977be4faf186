import Foundation
import JSON
import SessionStoreTesting
import TestSupport
import Testing
import WaypostTesting

/// The storyboard as clients see it, and what follows from it: forms, and data of an app's own.
@Suite struct StoryboardTests {
    private static let service = SharedService { try TestService() }

    @Test("GET /v1/storyboard lists roots, segments and scenes to a client without a token")
    func library() async throws {
        let reply = try await Self.service.get().api.send("GET", "/v1/storyboard")
        #expect(reply.status == 200)
        #expect(reply.headers["Cache-Control"] == "public, max-age=300")
        let storyboard = reply.json
        #expect(storyboard["name"]?.text == "Library")
        #expect(storyboard["initialScene"]?.text == "authors")
        #expect(storyboard["loginScene"]?.text == "userAuth")
        #expect(storyboard["segments"]?.elements?.map { $0["title"] } == [.null, .null])
        #expect(
            storyboard["segments"]?.elements?.map { $0["scene"]?.text } == ["authors", "titles"])
        let books = try #require(storyboard["scenes"]?["books"])
        for (name, value) in [
            "kind": "table", "access": "members", "title": "{author}", "rows": "author.books",
            "select": "cover", "path": "/authors/{author}", "parent": "authors",
            "bottomBar": "{count} books by {author}",
        ] {
            #expect(books[name]?.text == value, "\(name)")
        }
        #expect(books["parameters"]?.elements?.map(\.text) == ["author"])
        #expect(books["image"] == .null && books["submit"] == .null)
        #expect(storyboard["scenes"]?["cover"]?["image"]?.text == "book.cover")
        #expect(storyboard["scenes"]?["userAuth"]?["access"]?.text == "login")
        #expect(storyboard["scenes"]?["userAuth"]?["submit"]?.text == "log-in")
        #expect(storyboard["scenes"]?["signUp"]?["submit"]?.text == "sign-up")
    }

    @Test("The storyboard asked for with its current tag in If-None-Match is a 304")
    func notModified() async throws {
        let api = try Self.service.get().api
        let tag = try #require(try await api.send("GET", "/v1/storyboard").headers["ETag"])
        let known = try await api.send("GET", "/v1/storyboard", headers: ["If-None-Match": tag])
        #expect(known.status == 304)
        #expect(try await api.send("POST", "/v1/storyboard").status == 405)
        #expect(try await api.send("GET", "/v1/storyboard?x=1").code == "invalid-query")
    }

    @Test("A storyboard without a login, and with all that a scene can have, is served as it is")
    func everyMember() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(
            """
            { "name": "App", "initialScene": "home",
              "segments": [ { "title": "One", "scene": "home" } ],
              "scenes": {
                "home": { "kind": "blank", "title": "A", "toolbarItems": ["Edit"],
                          "hidesBottomBarWhenPushed": true,
                          "navigationItem": { "backButtonTitle": "B" } },
                "tabs": { "kind": "tabBar" } } }
            """, to: "App.json")
        let service = try TestService(storyboard: path)
        let storyboard = try await service.api.send("GET", "/v1/storyboard").json
        #expect(storyboard["loginScene"] == .null)
        #expect(storyboard["segments"]?[0]?["title"]?.text == "One")
        let home = try #require(storyboard["scenes"]?["home"])
        #expect(home["toolbarItems"]?.elements?.map(\.text) == ["Edit"])
        #expect(home["hidesBottomBarWhenPushed"]?.flag == true)
        #expect(home["navigationItem"]?["backButtonTitle"]?.text == "B")
        #expect(storyboard["scenes"]?["tabs"]?["kind"]?.text == "tabBar")
        let client = try await Client(service.api)
        let toolbar = try await client.session()["toolbar"]
        #expect(toolbar?["items"]?.elements?.map(\.text) == ["Edit"])
        #expect(toolbar?["isHidden"]?.flag == true)
    }

    @Test("A form's screen names the operation that it is submitted to, and that one takes it")
    func forms() async throws {
        let client = try await Client(Self.service.get().api)
        var screen = try await client.send("GET", "screen").json
        #expect(screen["submit"]?.text == "log-in")
        _ = try await client.send("POST", "push", #"{"scene": "signUp"}"#)
        screen = try await client.send("GET", "screen").json
        #expect(
            screen["fields"]?.elements?.map { $0["name"]?.text } == ["username", "password"])
        #expect(screen["fields"]?.elements?.map { $0["type"]?.text } == ["text", "password"])
        let submit = try #require(screen["submit"]?.text)
        let change = try await client.send(
            "POST", submit, #"{"username": "form-user", "password": "a long password"}"#)
        #expect(change.json["transition"]?.text == "root")
    }

    @Test("A form that is submitted to nothing has no fields") func plainForm() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(
            """
            { "name": "App", "initialScene": "home", "scenes": { "home": { "kind": "form" } } }
            """, to: "App.json")
        let client = try await Client(TestService(storyboard: path).api)
        let screen = try await client.send("GET", "screen").json
        #expect(screen["submit"] == .null && screen["fields"]?.elements == [])
    }

    @Test("An app with data of its own has no /v1/catalog") func ownData() async throws {
        let example = Shell.checkout.appending(path: "Examples/RecipeBox/RecipeBox.json").path
        let service = try TestService(storyboard: example)
        for path in ["authors", "authors/jane-austen", "courses"] {
            let reply = try await service.api.send("GET", "/v1/catalog/\(path)")
            #expect(reply.status == 404 && reply.code == "not-found")
        }
        let storyboard = try await service.api.send("GET", "/v1/storyboard").json
        #expect(storyboard["scenes"]?["course"]?["rows"]?.text == "course.recipes")
    }
}
