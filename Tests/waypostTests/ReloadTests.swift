import Accounts
import AppDefinition
import Foundation
import HTTPCore
import JSON
import SQLiteStore
import Sessions
import TestSupport
import Testing
import WaypostAPI
import WaypostCore
import WaypostTesting

@testable import waypost

@Suite("Reloading the app") struct ReloadTests {
    /// Starts a service on a storyboard of its own and opens a session, whose state `show` prints.
    private static let start =
        Script.serve + #"""
            storyboard() {
              cat > app.json << END
            {"name": "App", "initialScene": "home", "scenes": {
              "home": {"kind": "blank", "title": "$1", "segues": [{"identifier": "go", "kind": "show", "scene": "$2"}]},
              "$2": {"kind": "blank", "title": "Second"}}}
            END
            }
            reload() {
              number=$(grep -c '"message":"\(reloaded\|the files\)' serve.errors)
              kill -HUP $service
              until [ $(grep -c '"message":"\(reloaded\|the files\)' serve.errors) -gt $number ]; do :; done
            }
            call() { curl --silent "$url$path$1" -H "Authorization: Bearer $token" "${@:2}"; }
            show() { call '' | jq -c '[.revision, .viewControllers[].title]'; }
            begin() {
              storyboard Home second
              serve --storyboard app.json "$@"
              session=$(curl --silent -X POST $url/v1/sessions)
              path=/v1/sessions/$(echo "$session" | jq -r .id)
              token=$(echo "$session" | jq -r .token)
              call /perform-segue --json '{"identifier": "go"}' > pushed
              show
            }

            """#

    @Test(
        "SIGHUP loads a changed storyboard, and sessions keep what still fits",
        arguments: ["memory", "sqlite:app.sqlite"])
    func storyboard(store: String) async throws {
        let result = try await Shell.run(
            Self.start + #"""
                begin --store \#(store)
                tag=$(curl --silent --head $url/v1/storyboard | grep -i '^etag')
                storyboard Start second; reload; show
                [ "$tag" = "$(curl --silent --head $url/v1/storyboard | grep -i '^etag')" ] || echo changed
                call /back -X POST | jq -c '[.session.revision, .session.navigationBar.title]'
                call /perform-segue --json '{"identifier": "go"}' > pushed
                storyboard Start other; reload; show
                call /perform-segue --json '{"identifier": "go"}' | jq -c .session.viewControllers[1].scene
                echo '{"name"' > app.json; reload; show
                grep -o 'the files cannot be loaded.*' serve.errors | cut -c 1-89
                kill $service; wait $service; echo "exit $?"
                """#)
        #expect(
            result.output == """
                [2,"Home","Second"]
                [2,"Start","Second"]
                changed
                [3,"Start"]
                [5,"Start"]
                "other"
                [6,"Start","Second"]
                the files cannot be loaded, and the service continues with the old app","cause":"app.json
                exit 0

                """)
    }

    @Test("After SIGHUP, the inspector's ways are those of the changed storyboard")
    func ways() async throws {
        let result = try await Shell.run(
            Self.start + #"""
                way() { curl --silent $url/inspector/ways/$1 | jq -r '.code // .text'; }
                begin
                way second
                storyboard Home other; reload
                way second; way other
                kill $service; wait $service
                """#)
        #expect(
            result.output == """
                [2,"Home","Second"]
                no user action leads from launch to second
                scene-not-found
                no user action leads from launch to other

                """)
    }

    @Test("SIGHUP loads a changed catalog") func catalog() async throws {
        let result = try await Shell.run(
            Self.start + #"""
                books() { echo "({Author = $1; Books = ({Title = One;});})" > Books.plist; }
                books Ada; serve --catalog Books.plist
                authors() { curl --silent $url/v1/catalog/authors | jq -c '[.items[].name]'; }
                authors; books Grace; reload; authors
                kill $service; wait $service
                """#)
        #expect(result.output == "[\"Ada\"]\n[\"Grace\"]\n")
    }

    @Test("A stream ends at a reload, and its client gets the new state when it comes back")
    func streams() async throws {
        let result = try await Shell.run(
            Self.start + #"""
                begin
                curl --silent --no-buffer $url$path/changes -H "Authorization: Bearer $token" > first & stream=$!
                until grep -q ^data first; do :; done
                storyboard Start second; reload
                wait $stream
                cursor=$(grep '^id: ' first | tail -1 | cut -c 5-)
                call '/changes?messages=1' -H "Last-Event-ID: $cursor" > second
                for file in first second; do
                    grep ^data $file | head -1 | cut -c 6- | jq -c '[.reason, .session.viewControllers[].title]'
                done
                kill $service; wait $service
                """#)
        #expect(
            result.output == """
                [2,"Home","Second"]
                ["opened","Home","Second"]
                ["other-history","Start","Second"]

                """)
    }

    @Test(
        "No change is lost or refused while the app is reloaded again and again",
        arguments: ["memory", "sqlite"])
    func load(store: String) async throws {
        let folder = try TemporaryFolder()
        let app = try ReloadedApp(folder, store)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let session = try await app.open()
                    for number in 1...40 {
                        let operation = number.isMultiple(of: 2) ? "pop" : "push"
                        let body = number.isMultiple(of: 2) ? "" : #"{"scene": "titles"}"#
                        let response = try await app.send(session, operation, body)
                        #expect(response.status == 200)
                        #expect(response.json["session"]?["revision"]?.number == number + 1)
                    }
                }
            }
            group.addTask {
                for _ in 0..<10 { #expect(await app.reload()) }
            }
            try await group.waitForAll()
        }
        await app.store.close()
    }
}

/// An app without a server, of which the test is the client.
private struct ReloadedApp: Sendable {
    let store: any SessionStore
    private let app: RunningApp
    private let data: AppData

    init(_ folder: TemporaryFolder, _ store: String) throws {
        let storyboard = """
            {"name": "App", "initialScene": "home", "scenes": {
              "home": {"kind": "blank"}, "titles": {"kind": "blank"}}}
            """
        data = try AppFiles(storyboard: folder.write(storyboard, to: "app.json")).load()
        self.store =
            store == "memory" ? MemoryStore() : try SQLiteStore(path: folder.file("app.sqlite"))
        let environment = Environment.system
        var service = RunningApp.Service(
            store: self.store,
            accounts: Accounts(
                store: self.store, hasher: try .minimal(), environment: environment,
                addressLogInLimit: 0),
            environment: environment,
            limits: RateLimits(sessionQuota: 0, signUpQuota: 0, environment: environment),
            maintenance: nil)
        service.sessionTTL = .seconds(60)
        service.waitingLimit = 100
        service.historyRetention = 100
        service.cacheCapacity = 1000
        app = RunningApp(data, service)
    }

    func reload() async -> Bool { await app.replace(by: data, within: .seconds(30)) }

    func open() async throws -> (path: String, token: String) {
        let json = try await send("/v1/sessions", nil, "").json
        let id = try #require(json["id"]?.text)
        return ("/v1/sessions/\(id)", try #require(json["token"]?.text))
    }

    func send(
        _ session: (path: String, token: String), _ operation: String, _ body: String
    ) async throws -> (status: Int, json: JSONValue) {
        try await send("\(session.path)/\(operation)", session.token, body)
    }

    private func send(
        _ path: String, _ token: String?, _ body: String
    ) async throws -> (status: Int, json: JSONValue) {
        var fields: HeaderFields = ["Content-Type": "application/json"]
        if let token { fields.append("Authorization", "Bearer \(token)") }
        let response = await app.handler.respond(
            to: Request(
                method: .post, target: try RequestTarget(path), headers: fields,
                body: Array(body.utf8)))
        guard case .bytes(let bytes) = response.body else { return (response.status.code, .null) }
        return (response.status.code, try JSONValue(parsing: bytes, maximumDepth: 32))
    }
}
