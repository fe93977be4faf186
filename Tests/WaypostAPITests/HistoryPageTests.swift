import HTTPCore
import JSON
import NavigationRules
import SessionStoreTesting
import TestSupport
import Testing
import WaypostCore
import WaypostTesting

@testable import Sessions
@testable import WaypostAPI

@Suite("Limits on reads of the history", .timeLimit(.minutes(10)))
struct HistoryPageTests {
    /// Changes whose bodies have a little more than an eighth of the limit each.
    private func changes(_ count: Int) -> [RecordedChange] {
        (2..<2 + count).map { change(to: $0, pathSize: Self.sizeLimit / 8) }
    }

    private func change(to revision: Int, pathSize: Int) -> RecordedChange {
        let link = Link.path("/" + String(repeating: "a", count: pathSize))
        return RecordedChange(
            entry: LogEntry(
                revision: revision, time: Timestamp(milliseconds: 0),
                action: .perform(Operation(Open(link)), animated: true)),
            isHidden: false, transition: nil, title: nil)
    }

    private static let sizeLimit = 1 << 20

    private func page(_ changes: [RecordedChange], limit: Int) throws -> JSONValue {
        var page = HistoryPage(limit: limit, sizeLimit: Self.sizeLimit)
        // The read of the history has one change more than the page, and ends when the page says so.
        for change in changes.prefix(limit + 1) where !page.add(change) { break }
        try page.checkSize()
        return try JSONValue(parsing: page.json, maximumDepth: 9)
    }

    @Test("A page that would be too large is refused with the limit that fits, and is never cut")
    func tooLarge() throws {
        #expect(HistoryPage.sizeLimit == 8 << 20)
        let problem = #expect(throws: Problem.self) { _ = try page(changes(20), limit: 12) }
        #expect(problem?.detail == "the page would be larger than 1 MiB: send limit=7")
        let fitting = try page(changes(20), limit: 7)
        #expect(fitting["items"]?.count == 7)
        #expect(fitting["next"]?.text == "8")
        #expect(try page(changes(7), limit: 100)["next"] == .null)
    }

    @Test("A page of one change has any size")
    func one() throws {
        let large = change(to: 2, pathSize: Self.sizeLimit + 1)
        let page = try page([large, large], limit: 1)
        #expect(page["items"]?.count == 1)
    }

    @Test("A flow that begins late can follow steps that are larger than a flow may be")
    func flowAfterLargeSteps() async throws {
        let service = try TestService()
        let client = try await Client.loggedIn(service)
        // More changes than one piece of the history has.
        for _ in 0..<150 {
            _ = try await client.send("POST", "push", #"{"scene": "titles"}"#)
            _ = try await client.send("POST", "pop")
        }
        let id = try #require(SessionID(client.id))
        let session = try #require(try await service.directory.session(id))
        let export = FlowExport(
            session, service.directory.app, for: .patient, sizeLimit: 2000)
        await #expect(throws: Problem.self) { try await export.text(from: nil) }
        _ = try await client.send("POST", "log-out")
        let last = try await withCompletion(session.read).window.revision
        for from in [nil, last] {
            let flow = try await export.text(from: from)
            #expect(flow.contains(#"root: "login""#) && !flow.contains("titles"))
        }
    }

    @Test("A revision before the oldest one that is kept is gone, and the problem names the oldest")
    func gone() async throws {
        let client = try await Client.loggedIn(TestService(historyRetention: 0))
        _ = try await client.send("POST", "push", #"{"scene": "titles"}"#)
        for path in ["history?after=2", "screen?revision=2"] {
            let reply = try await client.send("GET", path)
            #expect(reply.status == 410 && reply.code == "revision-gone", "\(path)")
            #expect(
                reply.json["detail"]?.text == """
                    the oldest revision in the history is 3: request this revision or a later one, \
                    or changes with after=3
                    """)
            #expect(reply.json["after"]?.number == 3)
        }
        #expect(try await client.send("GET", "history?after=3").json["items"]?.count == 0)
        #expect(try await client.send("GET", "screen?revision=3").status == 200)
    }

    @Test("A page that would be too large ends its read of the history at once")
    func readEnds() async throws {
        let store = try ScriptedStore(.memory)
        let client = try await Client.loggedIn(TestService(store: store))
        let top = try #require(
            try await client.session()["viewControllers"]?.elements?.last?["id"]?.text)
        // Each change has 57 KB, so that the page is full long before the end of the first piece.
        for number in 0..<260 {
            let item = "\"\(number) \(String(repeating: "x", count: 990))\""
            let items = "[\(Array(repeating: item, count: 19).joined(separator: ","))]"
            let reply = try await client.send(
                "PATCH", "view-controllers/\(top)",
                """
                {"navigationItem": {"leftItems": \(items), "rightItems": \(items)}, \
                "toolbarItems": \(items)}
                """, headers: ["Prefer": "return=minimal"])
            try #require(reply.status == 200)
        }
        let before = store.count(.log)
        let page = try await client.send("GET", "history?limit=1000")
        #expect(page.code == "session-too-large")
        #expect(store.count(.log) == before + 1)
    }

    @Test("One client reads at most eight histories at once, and one of them at a time has changes")
    func readers() async throws {
        let store = try ScriptedStore(.memory)
        let client = try await Client.loggedIn(TestService(store: store))
        let gate = Gate()
        store.hold(.log, at: gate)
        let (replies, arrive) = AsyncStream.makeStream(of: Reply.self)
        let reads = (0..<9).map { _ in
            Task { arrive.yield(try await client.send("GET", "history", from: "192.0.2.1")) }
        }
        // The others wait at the gate, or for the turn of the one at the gate.
        var arrived = replies.makeAsyncIterator()
        let refused = try #require(await arrived.next())
        #expect(refused.status == 503)
        #expect(refused.code == "busy")
        #expect(refused.headers["Retry-After"] != nil)
        await gate.waitForArrivals(1)
        #expect(store.count(.log) == 1)
        store.hold(.log, at: nil)
        let other = Task { try await client.send("GET", "history", from: "192.0.2.2") }
        gate.open()
        #expect(try await other.value.status == 200)
        for read in reads { _ = try await read.value }
        for _ in 0..<8 { #expect(await arrived.next()?.status == 200) }
    }
}
