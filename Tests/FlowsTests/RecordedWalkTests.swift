import Foundation
import JSON
import SessionStoreTesting
import TestSupport
import Testing
import WaypostTesting

@testable import Flows

/// Walks through a running service, at random, and what the service remembers of it.
@Suite("A recorded walk", .timeLimit(.minutes(10)))
struct RecordedWalkTests {
    /// A session that is changed over HTTP.
    private final class Walk {
        let client: HTTPClient
        let id: String
        let token: String
        /// The session at each of its revisions.
        private(set) var revisions: [Int: JSONValue] = [:]
        private var generator: SeededGenerator

        init(
            _ service: TestService, lifecycle: String, seed: UInt64, isStrict: Bool = false,
            open: String? = nil
        ) throws {
            client = try RemoteService(service.base.absoluteString).client
            generator = SeededGenerator(seed: seed)
            let members = [
                ("lifecycle", JSONValue.string(lifecycle)), ("strict", .boolean(isStrict)),
            ]
            let link = open.map { ("open", JSONValue.string($0)) }
            let (status, body) = try client.send(
                "POST", "/v1/sessions",
                JSONObject(
                    members: (members + [link].compactMap(\.self)).map {
                        JSONObject.Member(name: $0, value: $1)
                    }))
            try #require(status == 201)
            id = try #require(body["id"]?.text)
            token = try #require(body["token"]?.text)
            try note()
        }

        func send(
            _ method: String, _ path: String, _ body: JSONObject? = nil
        ) throws -> (status: Int, body: JSONValue) {
            try client.send(method, "/v1/sessions/\(id)\(path)", body, bearer: token)
        }

        func flow(_ query: String = "") throws -> (status: Int, text: String) {
            let (status, bytes) = try client.exchange(
                "GET", "/v1/sessions/\(id)/flow\(query)", bearer: token)
            return (status, String(decoding: bytes, as: UTF8.self))
        }

        private func note() throws {
            let session = try send("GET", "").body
            revisions[try #require(session["revision"]?.number)] = session
        }

        func change(_ method: String, _ operation: String, _ body: JSONObject) throws {
            if try send(method, "/\(operation)", body).status == 200 { try note() }
        }

        /// Changes the session at random until it has a revision.
        func go(to revision: Int, links: [String], scenes: [String]) throws {
            while revisions[revision] == nil {
                let session = try #require(revisions[revisions.count])
                let ids = session["viewControllers"]?.elements?.compactMap { $0["id"]?.text } ?? []
                let any = JSONValue.string(try #require(ids.randomElement(using: &generator)))
                let last = JSONValue.string(try #require(ids.last))
                let scene = JSONValue.string(
                    try #require(scenes.randomElement(using: &generator)))
                switch Int.random(in: 0..<16, using: &generator) {
                case 0: try change("POST", "back", JSONObject())
                case 1: try change("POST", "pop-to-root", JSONObject(["animated": .boolean(false)]))
                case 2:
                    let link = try #require(links.randomElement(using: &generator))
                    try change("POST", "open", JSONObject(["path": .string(link)]))
                case 3: try change("POST", "push", JSONObject(["scene": scene]))
                case 4: try change("POST", "present", JSONObject(["scene": scene]))
                case 5: try change("POST", "swipe-down", JSONObject())
                case 6:
                    let title = JSONValue.string("\u{7F} # \"1984\"\n: \(revisions.count)")
                    try change(
                        "PATCH", "view-controllers/\(ids.last ?? "")", JSONObject(["title": title]))
                case 7: try change("POST", "pop-to", JSONObject(["viewController": any]))
                case 8:
                    try change(
                        "POST", "set-view-controllers",
                        JSONObject([
                            "viewControllers": .array([
                                .object(JSONObject(["viewController": any])),
                                .object(JSONObject(["scene": scene])),
                            ])
                        ]))
                case 9:
                    try change(
                        "POST", "set-root-view-controller", JSONObject(["viewController": last]))
                case 10:
                    try change(
                        "POST", "batch",
                        JSONObject([
                            "operations": .array([
                                .object(
                                    JSONObject(["push": .object(JSONObject(["scene": scene]))])),
                                .object(JSONObject(["pop": .object(JSONObject())])),
                                .object(
                                    JSONObject([
                                        "select-row": .object(JSONObject(["row": .integer(0)]))
                                    ])),
                            ])
                        ]))
                case 11:
                    let index = Int.random(in: 0..<3, using: &generator)
                    let operation = ["select-segment", "select-tab"][index % 2]
                    try change("POST", operation, JSONObject(["index": .integer(index)]))
                default:
                    let taps = try send("GET", "/screen").body["taps"]?.elements ?? []
                    guard let tap = taps.randomElement(using: &generator), let place = tap["place"],
                        let index = tap["index"]
                    else { continue }
                    try change("POST", "tap", JSONObject(["place": place, "index": index]))
                }
            }
        }
    }

    struct Place: Sendable, CustomTestStringConvertible {
        let storyboard: String?
        let lifecycle: String
        let links: [String]
        let scenes: [String]

        var testDescription: String { storyboard ?? "the Library" }
    }

    static let places = [
        Place(
            storyboard: nil, lifecycle: "forwarded",
            links: ["/authors", "/titles", "/authors/oscar-wilde/books/de-profundis"],
            scenes: ["authors", "titles"]),
        Place(
            storyboard: examples("Bookshop/Bookshop.json"), lifecycle: "native",
            links: ["/genres/novels/middlemarch", "/genres", "/genres/novels"],
            scenes: ["home", "genres", "cart", "account", "help", "browse"]),
    ]

    private static func examples(_ path: String) -> String {
        URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Examples/\(path)").standardizedFileURL.path
    }

    @Test(
        "A walk of random changes is exported as a flow that passes, and forks as it was",
        .everyStore, arguments: places)
    func walk(_ place: Place) async throws {
        let service = try TestService(storyboard: place.storyboard)
        let walk = try Walk(service, lifecycle: place.lifecycle, seed: 7)
        try walk.go(to: 4, links: place.links, scenes: place.scenes)
        try walk.change(
            "POST", "sign-up",
            JSONObject(["username": .string("ada"), "password": .string("a long password")]))
        let changes = TestRun.count(150, nightly: 300)
        try walk.go(to: changes + 1, links: place.links, scenes: place.scenes)

        try await expectPass(try walk.flow().text, place, service)
        let part = try walk.flow("?from=\(changes / 2)").text
        #expect(part.split(separator: "expect:").count < changes / 2 + 10)
        try await expectPass(part, place, service)

        for (revision, session) in walk.revisions {
            let past = try walk.send("GET", "?revision=\(revision)")
            #expect(past.status == 200 && past.body == session, "revision \(revision)")
            guard revision.isMultiple(of: 20) else { continue }
            let fork = try walk.client.send(
                "POST", "/v1/sessions",
                JSONObject([
                    "fork": .object(
                        JSONObject([
                            "session": .string(walk.id), "revision": .integer(revision),
                        ]))
                ]), bearer: walk.token)
            #expect(fork.status == 201)
            #expect(fork.body["id"] != session["id"])
            #expect(fork.body.withoutOwnMembers == session.withoutOwnMembers)
        }
    }

    private func expectPass(
        _ text: String, _ place: Place, _ service: TestService,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let folder = try FlowFolder()
        let flows = try FlowReader.read([try folder.write(text)])
        let storyboard = place.storyboard
        let local = try LocalApps(flows) { _ in try loadApp(storyboard) }.runner
        let remote = try runner(of: flows, against: service)
        for runner in [local, remote] {
            let results = await runner.run(flows)
            #expect(results.count == 1, sourceLocation: sourceLocation)
            for result in results {
                #expect(
                    result.status == .passed, "\(result.failure.map { "\($0)" } ?? "")",
                    sourceLocation: sourceLocation)
            }
        }
    }

    @Test("A flow begins behind the last log-out before its revision", .everyStore)
    func logOut() async throws {
        let service = try TestService()
        let walk = try Walk(service, lifecycle: "forwarded", seed: 1)
        let account = JSONObject([
            "username": .string("grace"), "password": .string("a long password"),
        ])
        try walk.change("POST", "sign-up", account)
        try walk.change("POST", "push", JSONObject(["scene": .string("titles")]))
        try walk.change("POST", "log-out", JSONObject())
        // The credential of the first log-in is revoked. Without `from`, the flow begins after it.
        let rest = try walk.flow()
        #expect(rest.status == 200)
        #expect(!rest.text.contains("grace") && !rest.text.contains("titles"))
        try await expectPass(rest.text, Self.places[0], service)
        #expect(try walk.flow("?from=2").status == 403)
        try walk.change("POST", "log-in", account)
        try walk.change("POST", "select-row", JSONObject(["row": .integer(1)]))
        #expect(try walk.flow("?from=3").status == 403)
        for from in [4, 5, 6] {
            let flow = try walk.flow("?from=\(from)")
            #expect(flow.status == 200)
            #expect(flow.text.contains("sign-up: \"grace\""))
            #expect(!flow.text.contains("titles"))
            try await expectPass(flow.text, Self.places[0], service)
        }
        #expect(try walk.flow("?from=7").status == 404)
        #expect(try walk.flow("?from=0").status == 400)
    }

    @Test("The flow of a strict session logs in where the app does")
    func strict() async throws {
        let service = try TestService()
        let account = JSONObject([
            "username": .string("grace"), "password": .string("a long password"),
        ])
        let other = try Walk(service, lifecycle: "native", seed: 1)
        try other.change("POST", "sign-up", account)
        let walk = try Walk(service, lifecycle: "native", seed: 1, isStrict: true)
        try walk.change("POST", "log-in", account)
        try walk.change("POST", "select-row", JSONObject(["row": .integer(1)]))
        for query in ["", "?from=2", "?from=3"] {
            let flow = try walk.flow(query)
            #expect(flow.text.contains("\nstrict: true\naccounts: [\"grace\"]\nsteps:\n"))
            #expect(flow.text.contains("- log-in: \"grace\"\n"))
            try await expectPass(flow.text, Self.places[0], service)
        }
    }

    @Test("The flow of a session that was opened with a link opens it, before or after the log-in")
    func openedWithLink() async throws {
        let service = try TestService()
        let walk = try Walk(service, lifecycle: "native", seed: 1, open: "/authors/jane-austen")
        let step = "- open: {path: \"/authors/jane-austen\"}\n"
        var flow = try walk.flow()
        #expect(flow.text.contains(step))
        try await expectPass(flow.text, Self.places[0], service)
        try walk.change(
            "POST", "sign-up",
            JSONObject(["username": .string("ada"), "password": .string("a long password")]))
        try walk.change("POST", "back", JSONObject())
        flow = try walk.flow()
        #expect(flow.text.contains(step))
        try await expectPass(flow.text, Self.places[0], service)
    }

    @Test("A session without changes is exported as a flow with one expectation")
    func noChange() async throws {
        let service = try TestService()
        let walk = try Walk(service, lifecycle: "native", seed: 1)
        let flow = try walk.flow()
        #expect(flow.text.contains("lifecycle: native"))
        try await expectPass(flow.text, Self.places[0], service)
    }
}

extension JSONValue {
    /// The session without what each session has for itself.
    fileprivate var withoutOwnMembers: JSONValue {
        guard case .object(let object) = self else { return self }
        let own = ["id", "token", "revision", "createdAt", "expiresAt"]
        return .object(JSONObject(members: object.members.filter { !own.contains($0.name) }))
    }
}
