import Foundation
import JSON
import Testing
import WaypostTesting

/// Tests of `Examples/XcodeProject`, which has the structure of the course's Library: a storyboard in
/// Xcode's format whose titles, rows and segues come from code.
@Suite struct ImportedProjectTests {
    private let service: TestService

    init() throws {
        let folder = Shell.checkout.appending(path: "Examples/XcodeProject")
        service = try TestService(
            storyboard: folder.path, catalog: folder.appending(path: "Resources/Books.plist").path,
            importOptions: folder.appending(path: "Waypost.json").path)
    }

    private func rows(_ client: Client) async throws -> [String?] {
        let screen = try await client.send("GET", "screen").json
        return screen["rows"]?.elements?.map { $0["title"]?.text } ?? []
    }

    @Test("An imported storyboard shows authors, books and cover with the titles of the options")
    func library() async throws {
        let client = try await Client(service.api)
        #expect(try await client.session()["navigationBar"]?["title"]?.text == "Authors")
        #expect(try await rows(client) == ["Jules Verne", "Selma Lagerlöf", "Karel Čapek"])
        var change = try await client.send("POST", "select-row", #"{"row": 1}"#).json
        #expect(change["session"]?["navigationBar"]?["title"]?.text == "Selma Lagerlöf")
        #expect(
            change["session"]?["navigationBar"]?["backButton"]?["title"]?.text == "Authors")
        #expect(try await rows(client) == ["Gösta Berling's Saga", "Jerusalem"])
        change = try await client.send("POST", "tap", #"{"title": "Jerusalem"}"#).json
        #expect(change["transition"]?.text == "push")
        #expect(change["session"]?["navigationBar"]?["title"]?.text == "Jerusalem")
        #expect(change["session"]?["bottomBar"]?["isHidden"]?.flag == true)
        let image = try #require(change["session"]?["screen"]?["image"]?["url"]?.text)
        let cover = try await client.api.send("GET", image)
        #expect(cover.status == 200 && cover.headers["Content-Type"] == "image/png")
    }

    @Test("A presented scene of an imported storyboard is closed by the unwind segue of its button")
    func unwinding() async throws {
        let client = try await Client(service.api)
        var change = try await client.send("POST", "tap", #"{"title": "About"}"#).json
        #expect(change["transition"]?.text == "present")
        change = try await client.send("POST", "tap", #"{"title": "Licences"}"#).json
        #expect(change["session"]?["navigationBar"]?["title"]?.text == "Licences")
        _ = try await client.send("POST", "back")
        change = try await client.send("POST", "tap", #"{"title": "Done"}"#).json
        #expect(change["transition"]?.text == "dismiss")
        #expect(change["session"]?["navigationBar"]?["title"]?.text == "Authors")
    }
}
