import JSON
import NavigationRules
import Testing
import WaypostTesting

@testable import WaypostAPI

/// Tests of table rows. Rows of scenes without parameters are encoded when the service starts,
/// others when they are requested.
@Suite(.timeLimit(.minutes(10))) struct ScreenTests {
    private static let service = SharedService { try TestService() }

    private func rows(_ query: String, _ client: Client) async throws -> [JSONValue] {
        try #require(try await client.send("GET", "screen\(query)").json["rows"]?.elements)
    }

    @Test(
        "A page of a screen has the rows after the given one, up to its limit",
        arguments: ["authors", "titles", "books"])
    func pages(_ scene: String) async throws {
        let client = try await Client.loggedIn(Self.service.get())
        let parameters = scene == "books" ? #", "parameters": {"author": "jules-verne"}"# : ""
        _ = try await client.send("POST", "push", #"{"scene": "\#(scene)"\#(parameters)}"#)
        let all = try await rows("?limit=100", client)
        try #require(all.count > 3)
        #expect(all.map { $0["row"]?.number } == Array(0..<all.count))
        for (after, limit) in [(0, 1), (2, 2), (1, all.count), (all.count - 2, 5)] {
            let page = try await rows("?after=\(after)&limit=\(limit)", client)
            #expect(page == Array(all[(after + 1)..<min(after + 1 + limit, all.count)]))
        }
        #expect(try await rows("?after=\(all.count - 1)&limit=100", client).isEmpty)
        for after in ["\(all.count)", "\(Int.max)", "-1", "", "x", "1.0"] {
            let reply = try await client.send("GET", "screen?after=\(after)")
            #expect(reply.code == "invalid-query")
        }
        #expect(try await client.send("GET", "screen?offset=1").code == "invalid-query")
    }

    @Test("A screen without rows takes any limit, and has no row that after could name")
    func withoutRows() async throws {
        let client = try await Client(Self.service.get().api)
        let screen = try await client.send("GET", "screen?limit=3")
        #expect(screen.json["kind"]?.text == "form")
        #expect(screen.json["rows"] == nil && screen.json["next"] == nil)
        let reply = try await client.send("GET", "screen?after=0")
        #expect(reply.status == 400 && reply.code == "invalid-query")
    }

    @Test("Rows and taps encoded at the start equal those encoded for a request")
    func encodedRows() throws {
        let app = try Numbers(count: 5).app
        // The table of this app has too many rows to be encoded at the start.
        let none = EncodedRows(try Numbers(count: 1001).app)
        let window = Window.launch(app).window
        func written(_ range: Range<Int>, _ encoded: EncodedRows) throws -> JSONValue {
            var json = JSONWriter()
            json.object { json in
                json.name("rows")
                json.rows(range, of: window, in: app, encoded)
                json.taps(of: window, rows: range, in: app, encoded)
            }
            return try JSONValue(parsing: json.bytes, maximumDepth: 9)
        }
        for range in [0..<5, 1..<3, 4..<9] {
            let rows = try written(range, EncodedRows(app))
            #expect(rows == (try written(range, none)))
            #expect(rows["rows"]?.count == min(range.upperBound, 5) - range.lowerBound)
            #expect(rows["taps"]?.count == rows["rows"]?.count)
        }
    }

    @Test("Selecting a row pushes the view controller with the row's parameters and title")
    func selection() async throws {
        let client = try await Client.loggedIn(Self.service.get())
        let row = try #require(try await rows("", client).last)
        let number = try #require(row["row"]?.number)
        let change = try await client.send("POST", "select-row", #"{"row": \#(number)}"#).json
        let top = change["session"]?["viewControllers"]?.elements?.last
        #expect(top?["parameters"] == row["parameters"])
        #expect(top?["title"] == row["title"])
    }

    @Test(
        "A table of more than 1,000 rows is not encoded at the start",
        arguments: [(0, true), (1000, true), (1001, false)])
    func manyRows(_ count: Int, _ areWritten: Bool) throws {
        let app = try Numbers(count: count).app
        let rows = EncodedRows(app)[app.storyboard.initialScene]
        #expect(rows?.rows.count == (areWritten ? count : nil))
    }
}

private struct Numbers: DataSource {
    let count: Int

    /// An app that shows a table with these rows.
    var app: App {
        get throws {
            let draft = StoryboardDraft(
                name: "Test", loginScene: nil, initialScene: "table",
                scenes: [
                    Scene(name: "table", kind: .table, rows: "numbers", select: "number"),
                    Scene(name: "number", kind: .blank, parameters: ["n"]),
                ])
            return App(storyboard: try Storyboard(draft, dataSource: self), dataSource: self)
        }
    }

    let rowBindings = ["numbers": RowBinding(requires: [], provides: ["n"])]
    let imageBindings: [String: ImageBinding] = [:]

    func numberOfRows(in binding: String, _ parameters: Parameters) -> Int? { count }

    func row(_ index: Int, of binding: String, _ parameters: Parameters) -> Row? {
        Row(title: "Row \(index)", subtitle: nil, parameters: ["n": String(index)])
    }

    func image(_ binding: String, _ parameters: Parameters) -> ImageReference? { nil }
    func displayName(of parameter: String, in parameters: Parameters) -> String? { nil }
}
