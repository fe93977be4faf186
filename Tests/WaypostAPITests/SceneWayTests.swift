import HTTPCore
import JSON
import TestSupport
import Testing
import WaypostTesting

@testable import WaypostAPI

@Suite("Ways to scenes") struct SceneWayTests {
    private let folder: TemporaryFolder
    private let service: TestService

    init() throws {
        folder = try TemporaryFolder()
        let storyboard = """
            { "name": "Ways", "initialScene": "home", "scenes": {
              "nav": { "kind": "navigation", "root": "home" },
              "home": { "kind": "blank", "title": "Home",
                "buttons": [ { "title": "Next: \\"2\\"", "segue": "next" } ],
                "segues": [ { "identifier": "next", "kind": "show", "scene": "two" },
                            { "identifier": "push", "kind": "show", "scene": "code" } ] },
              "two": { "kind": "blank", "title": "Two" },
              "code": { "kind": "blank", "title": "By code" },
              "linked/ä": { "kind": "blank", "title": "Linked", "path": "/linked" } } }
            """
        service = try TestService(
            storyboard: folder.write(storyboard, to: "app.json"))
    }

    @Test(
        "The answer is a shortest way, or the sentence that there is none",
        arguments: [
            (
                "home",
                """
                {"from":"launch","to":"home","certainty":"proved","flow":[],"actions":0,\
                "text":"name: launch to home\\nsteps:\\n  - expect:\\n      stack: [Home]\\n\
                      viewControllers.0.scene: home\\n"}
                """
            ),
            (
                "two",
                """
                {"from":"launch","to":"two","certainty":"proved",\
                "flow":["tap: { place: button, index: 0 } # Next: \\"2\\""],"actions":1,\
                "text":"name: launch to two\\nsteps:\\n\
                  - tap: { place: button, index: 0 } # Next: \\"2\\"\\n\
                  - expect:\\n      stack: [Home, Two]\\n      viewControllers.1.scene: two\\n"}
                """
            ),
            (
                "code",
                """
                {"from":"launch","to":"code","certainty":"proved","flow":null,\
                "text":"no user action leads from launch to code"}
                """
            ),
            (
                "linked%2F%C3%A4",
                """
                {"from":"launch","to":"linked/ä","certainty":"proved",\
                "flow":["open: /linked"],"actions":1,\
                "text":"name: launch to linked/ä\\nsteps:\\n  - open: /linked\\n\
                  - expect:\\n      stack: [Linked]\\n      viewControllers.0.scene: linked/ä\\n"}
                """
            ),
        ])
    func answer(scene: String, body: String) async throws {
        let reply = try await service.api.send("GET", "/inspector/ways/\(scene)")
        #expect(String(decoding: reply.bytes, as: UTF8.self) == body)
        #expect(reply.headers["Cache-Control"] == "public, max-age=300")
        let tag = try #require(reply.headers["ETag"])
        let again = try await service.api.send(
            "GET", "/inspector/ways/\(scene)", headers: ["If-None-Match": tag])
        #expect(again.status == 304)
    }

    @Test(
        "A name that no screen has, and a query, are refused",
        arguments: [
            ("none", 404, "scene-not-found", "no scene is named none"),
            ("nav", 404, "scene-not-found", "nav is a container"),
            ("two?from=home", 400, "invalid-query", ""), ("", 404, "not-found", ""),
        ])
    func refusal(name: String, status: Int, code: String, detail: String) async throws {
        let reply = try await service.api.send("GET", "/inspector/ways/\(name)")
        #expect(reply.status == status)
        #expect(reply.code == code)
        #expect(reply.json["detail"]?.text?.starts(with: detail) == true)
        #expect(reply.headers["Content-Type"] == "application/problem+json")
    }

    @Test("Requests at the same time wait for the same search") func together() async throws {
        let texts = try await withThrowingTaskGroup(of: String?.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    try await service.api.send("GET", "/inspector/ways/two").json["certainty"]?
                        .text
                }
            }
            return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
        }
        #expect(texts == ["proved"])
    }

    @Test("A way that the search did not find before its end is unknown")
    func limit() async throws {
        let ways = SceneWays(service.directory.app, moves: 0)
        let pipeline = Pipeline(Router([Route(.get, "/{scene}", task: ways.response)]), []) {
            problem, _ in Response(problem)
        }
        let found = try await pipeline.text("/home")
        #expect(found.contains(#""certainty":"proved","flow":[]"#))
        let unknown = try await pipeline.text("/two")
        #expect(
            unknown == """
                {"from":"launch","to":"two","certainty":"unknown","flow":null,\
                "text":"unknown: no way from launch to two was found"}
                """)
    }
}

extension Pipeline {
    fileprivate func text(_ path: String) async throws -> String {
        let request = Request(method: .get, target: try RequestTarget(path))
        guard case .bytes(let bytes) = try await answer(request).response.body else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }
}
