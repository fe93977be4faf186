import Foundation
import JSON
import TestSupport
import Testing
import WaypostTesting

@Suite("Accessories of rows") struct AccessoryTests {
    private let folder: TemporaryFolder
    private let service: TestService

    init() throws {
        folder = try TemporaryFolder()
        let storyboard = """
            { "name": "Settings", "initialScene": "menu", "scenes": {
              "menu": { "kind": "table", "title": "Menu",
                "rows": [ { "title": "Network", "segue": "open", "accessorySegue": "info" },
                          { "title": "Sound", "accessorySegue": "info" },
                          { "title": "Version" } ],
                "segues": [ { "identifier": "open", "kind": "show", "scene": "network" },
                            { "identifier": "info", "kind": "present", "scene": "details" } ] },
              "network": { "kind": "blank", "title": "Network" },
              "details": { "kind": "blank", "title": "Details" } } }
            """
        service = try TestService(storyboard: folder.write(storyboard, to: "app.json"))
    }

    @Test("An accessory is a second tap of its row, with the index of the row")
    func taps() async throws {
        let client = try await Client(service.api)
        let screen = try await client.send("GET", "screen").json
        let taps = (screen["taps"]?.elements ?? []).map { tap in
            "\(tap["place"]?.text ?? "") \(tap["index"]?.number ?? -1) \(tap["segue"]?.text ?? "")"
        }
        #expect(taps == ["row 0 open", "accessory 0 info", "accessory 1 info"])
        let page = try await client.send("GET", "screen?offset=1&limit=1").json
        #expect(page["taps"]?.elements?.count == 1)
    }

    @Test(
        "A tap performs the segue of the accessory that is named, also in a strict session",
        arguments: ["{}", #"{"strict": true}"#])
    func tap(body: String) async throws {
        let opened = try await service.api.send("POST", "/v1/sessions", body).json
        let client = Client(
            service.api, id: try #require(opened["id"]?.text),
            token: try #require(opened["token"]?.text))
        let tapped = try await client.send(
            "POST", "tap", #"{"place": "accessory", "index": 1}"#
        ).json
        #expect(tapped["transition"]?.text == "present")
        #expect(tapped["session"]?["layers"]?.elements?.count == 2)
        _ = try await client.send("POST", "swipe-down", "{}")
        let named = try await client.send(
            "POST", "tap", #"{"title": "Network", "place": "accessory"}"#
        ).json
        #expect(named["transition"]?.text == "present")
    }

    @Test("A title alone means the row, and a row with an accessory alone cannot be selected")
    func rows() async throws {
        let client = try await Client(service.api)
        let shown = try await client.send("POST", "tap", #"{"title": "Network"}"#).json
        #expect(shown["transition"]?.text == "push")
        _ = try await client.send("POST", "back", "{}")
        #expect(try await client.send("POST", "select", #"{"row": 1}"#).code == "not-selectable")
        #expect(
            try await client.send("POST", "tap", #"{"title": "Sound"}"#).code == "tap-not-found")
        let missing = try await client.send(
            "POST", "tap", #"{"place": "accessory", "index": 2}"#)
        #expect(missing.code == "tap-not-found")
    }
}
