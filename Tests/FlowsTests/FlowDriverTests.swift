import Foundation
import JSON
import TestSupport
import Testing
import WaypostTesting

@testable import Flows

/// The drivers that perform the steps of a flow.
@Suite struct FlowDriverTests {
    /// A session that is another one after a restart, in its title or its layers.
    private final class Forgetful: FlowDriver {
        private let member: String
        private var isRestarted = false

        init(_ member: String) { self.member = member }

        let sceneNames: [String] = []

        func perform(_ operation: String, _ body: JSONObject) -> Answer { Answer() }
        func makeAccount(_ username: String, _ password: String) {}
        func logIn(_ username: String, _ password: String) -> Answer { Answer() }
        func signUp(_ username: String, _ password: String) -> Answer { Answer() }
        func logOut() -> Answer { Answer() }
        func revoke() {}
        func restart() { isRestarted = true }
        func fork() { isRestarted = true }
        func end() {}
        func session() -> JSONValue { value(of: ["id", "title"]) }
        func layers() -> JSONValue { value(of: ["layers"]) }
        func screen(limit: Int) -> JSONValue { .object(JSONObject()) }
        func rowTitles() -> [String] { [] }

        private func value(of names: [String]) -> JSONValue {
            .object(
                JSONObject(
                    members: names.map {
                        .init(name: $0, value: .integer(isRestarted && $0 == member ? 2 : 1))
                    }))
        }
    }

    @Test(
        "A restart or a fork that changes the session fails, but a fork has an id of its own",
        arguments: [
            ("restart", "title", "after it was stored and loaded"),
            ("restart", "layers", "after it was stored and loaded"),
            ("restart", "id", "after it was stored and loaded"),
            ("fork", "title", "in its fork"), ("fork", "layers", "in its fork"),
            ("fork", "id", nil),
            ("restart", "nothing", nil),
        ])
    func otherSession(step: String, member: String, circumstance: String?) async throws {
        let folder = try FlowFolder()
        let flow = try FlowReader.read([folder.write("name: A\nsteps: [\(step), back]")])[0]
        let result = await FlowRun.run(flow, on: Forgetful(member))
        #expect(result.failure?.reason == circumstance.map { "the session is another one \($0)" })
    }

    @Test(
        "Only the http URL of a service without a path is taken",
        arguments: [
            ("HTTP://h", true), ("http://h:0", false), ("http://h/?a=1", false),
            ("http://ada@h", false), ("http://h/#a", false),
            ("http://h", true), ("http://h:8080/", true), ("http://[::1]:1", true),
            ("https://h", false), ("h:80", false), ("http://h/v1", false),
            ("http://h:99999", false),
            ("http://", false),
        ])
    func url(text: String, isTaken: Bool) {
        let client = try? HTTPClient(text)
        #expect((client != nil) == isTaken)
    }

    @Test("A flow with a restart is skipped against a service, and the reason is given")
    func restart() async throws {
        let folder = try FlowFolder()
        let file = try folder.write("name: A\nsteps: [{sign-up: ada}, restart]")
        let result = try await run(file, against: TestService())[0]
        #expect(result.status == .skipped)
        #expect(result.reason == "restart runs in the process alone")
    }

    @Test("The view controller from which a segue is performed can be a reference")
    func from() async throws {
        let folder = try FlowFolder()
        try folder.write(
            """
            {"name": "A", "initialScene": "nav", "scenes": {
              "nav": {"kind": "navigation", "root": "home"},
              "home": {"kind": "blank", "title": "Home",
                "segues": [{"identifier": "next", "kind": "show", "scene": "next"}]},
              "next": {"kind": "blank", "title": "Next"}}}
            """, "app.json")
        let file = try folder.write(
            """
            name: A
            app: app.json
            steps:
              - perform-segue: { identifier: next, from: "@home" }
                expect: { stack: [Home, Next] }
              - batch: [pop, { perform-segue: { identifier: next, from: "@home" } }]
                expect: { stack: [Home, Next] }
            """)
        let result = try await runLocally(file)[0]
        #expect(result.status == .passed, "\(result.failure?.reason ?? "")")
    }

    @Test("A folder stands for its files that end in .yaml, .yml or .json, but for _x and .x")
    func filesInFolder() throws {
        let folder = try FlowFolder()
        for name in ["a.yaml", "b.yml", "c.json", "d.txt", "_e.yaml", ".f.yaml"] {
            try folder.write("", name)
        }
        let files = try FlowRunner.files(in: [folder.path("")])
        #expect(files.map { $0.split(separator: "/").last } == ["a.yaml", "b.yml", "c.json"])
    }

    @Test("A folder stands for the files of its subfolders, also behind a link, each once")
    func filesInSubfolders() throws {
        let folder = try FlowFolder()
        for name in ["flows/in/deep.yaml", "flows/_in", "elsewhere"] {
            try FileManager.default.createDirectory(
                atPath: folder.path(name), withIntermediateDirectories: true)
        }
        for name in ["flows/b.yaml", "flows/in/deep.yaml/a.yaml", "flows/_in/c.yaml"] {
            try folder.write("", name)
        }
        try folder.write("", "elsewhere/d.yaml")
        for (link, target) in [
            ("flows/out", "../elsewhere"), ("flows/in/loop", ".."), ("flows/none.yaml", "none"),
            ("all", "flows"),
        ] {
            try FileManager.default.createSymbolicLink(
                atPath: folder.path(link), withDestinationPath: target)
        }
        for path in [folder.path("flows"), folder.path("flows/"), folder.path("all")] {
            let start = path.hasSuffix("/") ? path : path + "/"
            #expect(
                try FlowRunner.files(in: [path])
                    == [
                        "b.yaml", "in/deep.yaml/a.yaml", "none.yaml", "out/d.yaml",
                    ].map { start + $0 })
        }
        #expect(
            try FlowRunner.files(in: [folder.path("all")], except: [folder.path("flows/b.yaml")])
                .count == 3)
    }
}
