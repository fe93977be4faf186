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
        let page = try await client.send("GET", "screen?after=0&limit=1").json
        #expect(page["taps"]?.elements?.count == 1)
    }

    @Test(
        "A tap performs the segue of the accessory that is named, also in a strict session",
        arguments: ["{}", #"{"strict": true}"#])
    func tap(body: String) async throws {
        let opened = try await service.api.send("POST", "/v1/sessions", body).json
        let client = try Client(service.api, opened: opened)
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
        #expect(
            try await client.send("POST", "select-row", #"{"row": 1}"#).code == "not-selectable")
        #expect(
            try await client.send("POST", "tap", #"{"title": "Sound"}"#).code == "tap-not-found")
        let missing = try await client.send(
            "POST", "tap", #"{"place": "accessory", "index": 2}"#)
        #expect(missing.code == "tap-out-of-range" && missing.status == 422)
        let opened = try await service.api.send("POST", "/v1/sessions", #"{"strict": true}"#).json
        let strict = try Client(service.api, opened: opened)
        for (row, code) in [(0, nil), (1, "not-a-user-action")] {
            let selected = try await strict.send("POST", "select-row", #"{"row": \#(row)}"#)
            #expect(selected.code == code)
            _ = try await strict.send("POST", "back", "{}")
        }
    }

    @Test("The detail of a tap out of range names the place and the controls that it has")
    func details() async throws {
        let client = try await Client(service.api)
        func detail(_ place: String, _ index: Int) async throws -> String? {
            let body = #"{"place": "\#(place)", "index": \#(index)}"#
            return try await client.send("POST", "tap", body).json["detail"]?.text
        }
        #expect(try await detail("backButton", 0) == "the screen has no back button to tap")
        #expect(
            try await detail("accessory", 9)
                == "there is no accessory button 9 to tap: the accessory buttons to tap are 0 to 1")
        #expect(
            try await detail("row", 2) == "there is no row 2 to tap: the only row to tap is 0")
        let library = try await Client.loggedIn(TestService())
        let body = #"{"place": "row", "index": 99}"#
        let reply = try await library.send("POST", "tap", body)
        #expect(
            reply.json["detail"]?.text == "there is no row 99 to tap: the rows to tap are 0 to 14")
        for (body, text) in [
            (
                #"{"title": "Quux"}"#,
                "nothing with the title Quux can be tapped; GET screen lists all 17 taps"
            ),
            (
                #"{"title": "Quux", "place": "tab"}"#,
                "no tab with the title Quux can be tapped; GET screen lists all 17 taps"
            ),
            (
                #"{"title": "Jane Austen", "place": "tab"}"#,
                "no tab with the title Jane Austen can be tapped; the place row has this title"
            ),
        ] {
            let reply = try await library.send("POST", "tap", body)
            #expect(reply.json["detail"]?.text == text)
        }
    }
}
