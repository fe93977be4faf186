import AppDefinition
import AppLoading
import Foundation
import HTTPCore
import JSON
import SessionStoreTesting
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
              lines=$(wc -l < serve.errors)
              kill -HUP $service
              seen '"message":"(reloaded|the files)' serve.errors $((lines + 1)) > reloaded
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

    @Test(
        "SIGHUP adds tabs to a session that keeps its stacks, also after kill -9",
        arguments: ["memory", "sqlite:app.sqlite"])
    func moreTabs(store: String) async throws {
        let result = try await Shell.run(
            Self.start + #"""
                tabs() {
                  cat > app.json << END
                {"name": "App", "initialScene": "tabs", "scenes": {
                  "tabs": {"kind": "tabBar", "tabs": [$1]}, "nav": {"kind": "navigation", "root": "home"},
                  "home": {"kind": "blank", "title": "Home"}, "more": {"kind": "blank", "title": "More"}}}
                END
                }
                show() { call '' | jq -c '[.revision, [.viewControllers[].id]]'; }
                stacks() { call /layers | jq -c '[.layers[0].navigationControllers[].viewControllers[].id]'; }
                two='{"scene": "nav"}, {"scene": "more"}'
                tabs "$two"
                app="--storyboard app.json --store \#(store)"
                serve $app
                session=$(curl --silent -X POST $url/v1/sessions)
                path=/v1/sessions/$(echo "$session" | jq -r .id)
                token=$(echo "$session" | jq -r .token)
                call '/push#[1-12]' --json '{"scene": "home"}' > pushed
                call /pop-to-root -X POST > popped
                call /push --json '{"scene": "more"}' > pushed
                show; stacks
                tabs "$two, "'{"scene": "nav"}, {"scene": "more"}'; reload
                show; stacks
                call /select-tab --json '{"index": 2}' | jq -c '[.session.revision, .events[0].event]'
                call '/push#[1-12]' --json '{"scene": "home"}' > pushed
                call /pop-to-root -X POST > popped
                call /history?after=14 | jq -c '[.items[] | [.revision, (.operation | keys[0])]][:3]'
                for revision in 15 16; do call "?revision=$revision" | jq -c '.code // .revision'; done
                [ \#(store) = memory ] || { kill -9 $service; wait $service 2> /dev/null; serve $app; }
                show; stacks
                [ \#(store) = memory ] || \#(Shell.waypost) store check --store \#(store) | grep -o '[^/]*$'
                tabs "$two"; reload; show
                kill $service; wait $service
                """#)
        let check = store == "memory" ? "" : "app.sqlite: 1 sessions, 0 accounts\n"
        #expect(
            result.output == """
                [15,["vc1","vc15"]]
                ["vc1","vc15","vc2"]
                [16,["vc1","vc15"]]
                ["vc1","vc15","vc2","vc16","vc17"]
                [17,"viewDidLoad"]
                [[15,"push"],[16,"fresh-root"],[17,"select-tab"]]
                "revision-gone"
                16
                [30,["vc16"]]
                ["vc1","vc15","vc2","vc16","vc17"]
                \(check)[31,["vc30"]]

                """)
    }

    @Test("The check of the store finds no defect after a reload with other flags and parameters")
    func check() async throws {
        let result = try await Shell.run(
            Script.serve + #"""
                app() {
                  cat > app.json << END
                {"name": "App", "initialScene": "home", "flags": {$1}, "scenes": {
                  "home": {"kind": "blank", "title": "Home"},
                  "item": {"kind": "blank", "title": "Item", "parameters": [$2]}}}
                END
                }
                push() {
                  curl --silent "$url/v1/sessions/$1/push#[1-$3]" -H "Authorization: Bearer $2" \
                    --json '{"scene": "item", "parameters": {"a": "1", "b": "2"}}' -o pushed
                }
                app '"one": false, "two": true' '"a", "b"'
                serve --storyboard app.json
                # In some of the sessions, the first change after the reload stores a complete state.
                for count in $(seq 8); do
                  curl --silent -X POST $url/v1/sessions | jq -r '"\(.id) \(.token)"' >> sessions
                  push $(tail -1 sessions) $count
                done
                app '"two": true, "three": false' '"b", "a"'
                kill -HUP $service
                seen '"message":"reloaded' serve.errors > reloaded
                while read -r session; do push $session 2; done < sessions
                jq -c '[.session.revision, .session.viewControllers[9].parameters]' pushed
                \#(Shell.waypost) store check --store $store | grep -o '[^/]*$'
                kill $service; wait $service
                """#)
        #expect(
            result.output == """
                [11,{"b":"2","a":"1"}]
                store.sqlite: 8 sessions, 0 accounts

                """)
        #expect(!result.errors.contains("another state"))
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
                seen ^data first > begun
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
        "No change is lost, refused or hidden while the app is reloaded again and again",
        arguments: [StoreKind.memory, .sqlite])
    func load(kind: StoreKind) async throws {
        let folder = try TemporaryFolder()
        let app = try ReloadedApp(folder, kind.makeStore(in: folder))
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
                        #expect(try await app.show(session)["revision"]?.number == number + 1)
                    }
                }
            }
            group.addTask {
                for _ in 0..<200 {
                    try app.reload()
                    await Task.yield()
                }
            }
            try await group.waitForAll()
        }
        await app.store.close()
    }

    @Test(
        "A request that the old app completes changes the state that the new app has made",
        arguments: [StoreKind.memory, .sqlite])
    func requestInProgress(kind: StoreKind) async throws {
        let store = try ScriptedStore(kind)
        let app = try ReloadedApp(TemporaryFolder(), store)
        let session = try await app.open()
        let held = try await holdPush(of: app, store, session)
        #expect(try await app.send(session, "push", Self.titles).status == 200)
        #expect(try await app.show(session)["revision"]?.number == 2)
        let response = try await held()
        #expect(response.status == 200)
        #expect(response.json["session"]?["revision"]?.number == 3)
        // The new app has the session in memory, with the revision before.
        #expect(try await app.show(session)["revision"]?.number == 3)
    }

    @Test("A session that the old app cannot show stays as the new app has made it")
    func newScene() async throws {
        let store = try ScriptedStore()
        let app = try ReloadedApp(TemporaryFolder(), store)
        let session = try await app.open()
        let extended = ReloadedApp.storyboard(further: "extra")
        let held = try await holdPush(of: app, store, session, reloading: extended)
        #expect(try await app.send(session, "push", #"{"scene": "extra"}"#).status == 200)
        let response = try await held()
        #expect(response.status == 429)
        #expect(response.json["code"]?.text == "session-busy")
        let shown = try await app.show(session)
        #expect(shown["viewControllers"]?.elements?[1]["scene"]?.text == "extra")
    }

    /// Begins a push in an app, and reloads the app before the push has changed the session.
    /// - Returns: a closure that lets the push go on, and returns the response to it.
    private func holdPush(
        of app: ReloadedApp, _ store: ScriptedStore, _ session: (path: String, token: String),
        reloading storyboard: String? = nil
    ) async throws -> () async throws -> (status: Int, json: JSONValue) {
        // The old app has the session in memory before the new one changes it.
        #expect(try await app.show(session)["revision"]?.number == 1)
        let gate = Gate()
        store.hold(.idempotencyRecord, at: gate)
        let push = Task { try await app.send(session, "push", Self.titles, key: "held") }
        await gate.waitForArrivals(1)
        store.hold(.idempotencyRecord, at: nil)
        try app.reload(storyboard)
        return {
            gate.open()
            return try await push.value
        }
    }

    private static let titles = #"{"scene": "titles"}"#
}

/// An app without a server, of which the test is the client.
private struct ReloadedApp: Sendable {
    let store: any SessionStore
    private let app: ReloadableApp
    private let data: LoadedApp

    private let folder: TemporaryFolder

    static func storyboard(further scene: String = "more") -> String {
        """
        {"name": "App", "initialScene": "home", "scenes": {
          "home": {"kind": "blank"}, "titles": {"kind": "blank"}, "\(scene)": {"kind": "blank"}}}
        """
    }

    init(_ folder: TemporaryFolder, _ store: any SessionStore) throws {
        self.folder = folder
        self.store = store
        data = try Self.load(Self.storyboard(), folder)
        let environment = Environment.system
        var service = ReloadableApp.Service(
            store: self.store,
            accounts: Accounts(
                store: self.store, hasher: try .minimal(), environment: environment,
                addressLogInLimit: 0),
            environment: environment,
            limits: RateLimits(sessionQuota: 0, signUpQuota: 0, environment: environment),
            maintenance: nil)
        service.sessionTTL = .seconds(3600)
        service.waitingLimit = 100
        service.historyRetention = 100
        service.cacheCapacity = 1000
        app = ReloadableApp(data, service)
    }

    private static func load(
        _ storyboard: String, _ folder: TemporaryFolder
    ) throws -> LoadedApp {
        try AppFiles(storyboard: folder.write(storyboard, to: "app.json")).load()
    }

    /// - Parameter storyboard: the new storyboard; nil for the same one.
    func reload(_ storyboard: String? = nil) throws {
        app.replace(by: try storyboard.map { try Self.load($0, folder) } ?? data)
    }

    func open() async throws -> (path: String, token: String) {
        let json = try await call(.post, "/v1/sessions").json
        let id = try #require(json["id"]?.text)
        return ("/v1/sessions/\(id)", try #require(json["token"]?.text))
    }

    func show(_ session: (path: String, token: String)) async throws -> JSONValue {
        try await call(.get, session.path, session.token).json
    }

    func send(
        _ session: (path: String, token: String), _ operation: String, _ body: String,
        key: String? = nil
    ) async throws -> (status: Int, json: JSONValue) {
        try await call(.post, "\(session.path)/\(operation)", session.token, body, key: key)
    }

    private func call(
        _ method: HTTPCore.Method, _ path: String, _ token: String? = nil, _ body: String = "",
        key: String? = nil
    ) async throws -> (status: Int, json: JSONValue) {
        var fields: HeaderFields = ["Content-Type": "application/json"]
        if let token { fields.append("Authorization", "Bearer \(token)") }
        if let key { fields.append("Idempotency-Key", key) }
        let response = await app.handler.respond(
            to: Request(
                method: method, target: try RequestTarget(path), headers: fields,
                body: Array(body.utf8)))
        guard case .bytes(let bytes) = response.body else { return (response.status.code, .null) }
        return (response.status.code, try JSONValue(parsing: bytes, maximumDepth: 32))
    }
}
