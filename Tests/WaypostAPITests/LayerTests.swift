import HTTPCore
import JSON
import TestSupport
import Testing
import WaypostTesting

/// Tests of the layers that a session shows, and of what it leaves out.
@Suite(.timeLimit(.minutes(10))) struct LayerTests {
    private static let storyboard = #"""
        { "name": "Tabs", "initialScene": "tabs",
          "scenes": {
            "tabs": { "kind": "tabBar", "tabs": [
              { "scene": "aNav" }, { "scene": "aNav" }, { "scene": "aNav" }, { "scene": "aNav" } ] },
            "aNav": { "kind": "navigation", "root": "A" },
            "A": { "kind": "blank", "title": "A",
              "buttons": [{ "title": "More", "segue": "more" }],
              "segues": [{ "identifier": "more", "kind": "present", "scene": "A" }] } } }
        """#

    private let service: TestService

    init() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(Self.storyboard, to: "Tabs.json")
        service = try TestService(storyboard: file)
    }

    @Test("A session of more than 1 MiB leaves its layers out and says so; GET layers has them")
    func omitted() async throws {
        let client = try await Client(service.api)
        let entries = Array(repeating: #"{"scene": "A"}"#, count: 990).joined(separator: ",")
        for controller in 1...4 {
            let reply = try await client.send(
                "POST", "set-view-controllers",
                "{\"viewControllers\": [\(entries)], \"navigationController\": \"nc\(controller)\"}"
            )
            #expect(reply.status == 200)
            let isOmitted = reply.json["session"]?["layersOmitted"]?.flag == true
            #expect(isOmitted == (reply.json["session"]?["layers"] == .null))
            #expect(isOmitted == (controller == 4))
        }
        let all = try await client.send("GET", "layers").json
        let stacks = all["layers"]?[0]?["navigationControllers"]?.elements?
            .map { $0["viewControllers"]?.elements?.count }
        #expect(stacks == [990, 990, 990, 990])
    }

    @Test("All layers are listed at once, in order, and parameters of pages are refused")
    func layers() async throws {
        let client = try await Client(service.api)
        for _ in 0..<4 {
            #expect(try await client.send("POST", "tap", #"{"title": "More"}"#).status == 200)
        }
        let all = try await client.send("GET", "layers").json
        #expect(
            all["layers"]?.elements?.map { $0["presentingViewController"] } == [
                .null, .string("vc1"), .string("vc5"), .string("vc6"), .string("vc7"),
            ])
        for part in ["layers", "view-controllers"] {
            for query in ["limit=2", "after=nc1", "cursor=nc1", "offset=0"] {
                let reply = try await client.send("GET", "\(part)?\(query)")
                #expect(reply.code == "invalid-query", "\(part)?\(query)")
            }
        }
    }

    @Test("The tag of the layers changes with the session, and spares the next transfer")
    func tags() async throws {
        let client = try await Client(service.api)
        let first = try await client.send("GET", "layers")
        let tag = try #require(first.headers["ETag"])
        let again = try await client.send("GET", "layers", headers: ["If-None-Match": tag])
        #expect(again.status == 304)
        _ = try await client.send("POST", "tap", #"{"title": "More"}"#)
        let later = try await client.send("GET", "layers", headers: ["If-None-Match": tag])
        #expect(later.status == 200)
    }
}
