import JSON
import SQLiteStore
import Sessions
import TestSupport
import Testing
import WaypostTesting

@testable import Flows

@Suite struct FlowRunTests {
    static let walk = """
        name: A walk through the Library
        lifecycle: native
        steps:
          - open: /authors/oscar-wilde/books/de-profundis
          - expect:
              root: login
              pendingLink: /authors/oscar-wilde/books/de-profundis
              pending: { open: { path: /authors/oscar-wilde/books/de-profundis } }
              auth: null
              transition: none
          - sign-up: ada
          - expect:
              title: De Profundis
              back: Oscar Wilde
              stack: [Authors, Oscar Wilde, { scene: cover, parameters: { author: oscar-wilde, book: de-profundis } }]
              bottomBar: null
              transition: root
              changed: true
              root: app
              auth: ada
              pendingLink: null
              pending: null
              image: true
              popped: [Log In]
              layers: 1
              layers.0.navigationControllers.0.isBare: false
          - back
          - expect: { title: Oscar Wilde, rows: { count: 5 }, transition: pop, popped: [De Profundis] }
          - select-row: Nothing of this name
            refused: row-out-of-range
          - select-row: De Profundis
          - push: { scene: cover, parameters: { author: oscar-wilde, book: nothing } }
            refused: invalid-body
          - pop-to: "@books"
          - patch: { viewController: "@books", title: Wilde, navigationItem: { rightItems: [Edit] } }
            expect: { title: Wilde, navigationBar.rightItems: [Edit], events: [] }
          - tap: Authors
            expect: { title: Authors, segment: 0, revision: 8 }
          - select-segment: Titles
            expect: { segment: Titles, events: [viewDidLoad titles, viewWillDisappear authors, viewWillAppear titles, willShow titles, viewDidDisappear authors, viewDidAppear titles, didShow titles] }
          - batch: [{ push: { scene: books, parameters: { author: oscar-wilde } } }, pop]
            expect: { changed: false }
          - log-in: ada
            refused: already-logged-in
          - log-out:
            expect: { title: Log In, tab: null, stack: [{ scene: userAuth }] }
          - log-in: { username: ada, password: not this one }
            refused: wrong-password
          - log-in: ada
          - revoke:
            expect: { root: login }
        """

    private func text(_ result: FlowResult) -> Comment {
        Comment(
            rawValue: "step \(result.failure?.step ?? -1): \(result.failure?.reason ?? "") "
                + (result.failure?.mismatches ?? []).map {
                    "\($0.expectation.key): \($0.expectation.value.flowStyle) / "
                        + $0.found.flowStyle
                }.joined(separator: "; "))
    }

    @Test("A walk with every kind of expectation passes in the process") func local() async throws {
        let folder = try FlowFolder()
        let result = try await runLocally(folder.write(Self.walk))[0]
        #expect(result.status == .passed, text(result))
    }

    @Test("No session of a flow stays in the service, and none that was forked")
    func noSessionStays() async throws {
        let folder = try FlowFolder()
        let file = try folder.write(
            "name: A\naccounts: [ada]\nsteps: [{log-in: ada}, fork, {expect: {title: X}}]")
        let service = try TestService()
        let remote = try RemoteService(service.base.absoluteString)
        let driver = try HTTPDriver(remote, lifecycle: nil, isStrict: nil)
        let parent = try #require(SessionID(driver.id))
        let result = await FlowRun.run(try FlowReader.read([file])[0], on: driver)
        #expect(result.failure?.step == 2)
        let fork = try #require(SessionID(driver.id))
        #expect(parent != fork)
        #expect(try await service.directory.session(parent) == nil)
        #expect(try await service.directory.session(fork) == nil)
    }

    @Test("The same walk passes over HTTP", arguments: ["memory", "sqlite"])
    func remote(store: String) async throws {
        let folder = try FlowFolder()
        let files = try TemporaryFolder()
        let service = try TestService(
            store: store == "memory"
                ? MemoryStore() : SQLiteStore(path: files.file("store.sqlite")))
        let result = try await run(folder.write(Self.walk), against: service)[0]
        #expect(result.status == .passed, text(result))
    }

    @Test("A stored and loaded session is the same one, in every state of a walk")
    func restart() async throws {
        let folder = try FlowFolder()
        let steps = Self.walk.split(separator: "\n").flatMap { line -> [Substring] in
            line.hasPrefix("  - ") ? ["  - restart", line] : [line]
        }
        let result = try await runLocally(folder.write(steps.joined(separator: "\n")))[0]
        #expect(result.status == .passed, text(result))
    }

    @Test("A fork goes on as its session would have, in every state of a walk")
    func fork() async throws {
        let folder = try FlowFolder()
        // The revisions of a fork count from the start.
        let walk = Self.walk.replacing(", revision: 8", with: "")
        let steps = walk.split(separator: "\n").flatMap { line -> [Substring] in
            line.hasPrefix("  - ") ? ["  - fork", line] : [line]
        }
        let file = try folder.write(steps.joined(separator: "\n"))
        let result = try await runLocally(file)[0]
        #expect(result.status == .passed, text(result))
        let remote = try await run(file, against: TestService())[0]
        #expect(remote.status == .passed, text(remote))
    }

    @Test(
        "The accounts of a flow, and those of the flows that it uses, exist before its first step")
    func accounts() async throws {
        let folder = try FlowFolder()
        let steps = "[{log-in: ada}, {expect: {auth: ada}}, log-out, {log-in: Ada}]"
        let file = try folder.write(
            "name: A\nstrict: true\naccounts: [ada]\nsteps: \(steps)", "a.yaml")
        let user = try folder.write(
            "name: B\naccounts: [Grace]\nsteps: [{use: a.yaml}, log-out, {log-in: grace}]", "b.yaml"
        )
        let again = try folder.write(
            "name: E\naccounts: [GRACE]\nsteps: [{use: b.yaml}, log-out, {use: b.yaml}]", "e.yaml")
        let service = try TestService()
        for file in [file, user, again] {
            let local = try await runLocally(file)[0]
            #expect(local.status == .passed, text(local))
            let remote = try await run(file, against: service)[0]
            #expect(remote.status == .passed, text(remote))
        }
        let twice = try folder.write("name: C\naccounts: [ada]\nsteps: [{sign-up: Ada}]", "c.yaml")
        let failed = try await runLocally(twice)[0]
        #expect(failed.failure?.reason.hasSuffix("write `log-in: Ada`") == true, text(failed))
        let patterns = Shell.checkout.appending(path: "Examples/Patterns/Segments.json").path
        let none = try folder.write(
            "name: D\napp: \(patterns)\naccounts: [ada]\nsteps: [back]", "d.yaml")
        let local = try await runLocally(none)[0]
        #expect(
            local.failure?.reason == "the app has no log-in: remove `accounts` from the flow",
            text(local))
        #expect(local.steps.allSatisfy { $0.status == .skipped })
    }

    @Test(
        "The address of a service has brackets around an IPv6 address",
        arguments: [("http://[::1]:9000", "[::1]:9000"), ("http://localhost/", "localhost:80")])
    func address(url: String, address: String) throws {
        #expect(try HTTPClient(url).address == address)
    }

    /// Returns the reason and the found values of a flow's first failure, in the process and over
    /// HTTP.
    private func failures(_ steps: String) async throws -> [String] {
        let folder = try FlowFolder()
        let file = try folder.write("name: A\nsteps:\n  - sign-up: ada\n  - \(steps)")
        let results = try await [runLocally(file)[0], run(file, against: TestService())[0]]
        return results.map { result in
            let found = (result.failure?.mismatches ?? []).map { " \($0.found.flowStyle)" }
            return (result.failure?.reason ?? "passed") + found.joined()
        }
    }

    @Test(
        "A failed step says what was found, and what may have been meant",
        arguments: [
            ("expect: { title: Titles }", "not as expected: title Authors"),
            ("expect: { stack: [Authors, Books] }", "not as expected: stack [Authors]"),
            ("expect: { segment: 1, changed: false }", "not as expected: segment, changed 0 true"),
            (
                "select-row: Oscar Wild",
                "no row has the title Oscar Wild; did you mean Oscar Wilde?"
            ),
            ("push: autors", "no scene is named autors; did you mean authors?"),
            ("select-segment: Title", "no segment has the title Title; did you mean Titles?"),
            ("pop-to: \"@author\"", "no view controller is @author; did you mean @authors?"),
            ("tap-tab: 0", "refused with no-tab-bar"),
            (
                "batch: []\n  - log-out\n  - log-in: Ada\n  - log-out\n  - log-in: { username: ada, password: x }",
                "refused with wrong-password: the username or the password is wrong"
            ),
            (
                "log-out:\n  - log-in: grace",
                "refused with wrong-password: the username or the password is wrong; this flow has "
                    + "made no account grace: write `accounts: [grace]` beside `steps`, or "
                    + "`sign-up: grace` first"
            ),
            (
                "revoke:\n  - expect: { title: Authors, auth: ada }",
                "not as expected: title, auth Log In null"
            ),
            ("revoke:\n  - expect: { layers: [Authors] }", "not as expected: layers [Log In]"),
            (
                "revoke:\n  - select-row: Jules Verne",
                "no row has the title Jules Verne; there is no row"
            ),
            (
                "revoke:\n  - pop-to: \"@authors\"",
                "no view controller is @authors; there are @userAuth"
            ),
            (
                "revoke:\n  - revoke",
                "no user is logged in, so that there is no credential to revoke"
            ),
            ("log-out:\n  - revoke", "no user is logged in, so that there is no credential to rev"),
            ("{ push: cover, refused: scene-not-found }", "refused with invalid-body, expected"),
            ("{ pop: , refused: empty-stack }", "expected a refusal with empty-stack, but it succ"),
            ("expect: { screen.rows.count: 5 }", "not as expected: screen.rows.count absent"),
            (
                "{ log-in: ada, refused: already-logged-in, expect: { changed: true } }",
                "not as expected: changed null"
            ),
        ])
    func failed(step: String, expected: String) async throws {
        for found in try await failures(step) {
            #expect(found.contains(expected), "\(found)")
        }
    }

    @Test("An operation that cannot be decoded is refused as the flow expects")
    func undecodable() async throws {
        let folder = try FlowFolder()
        let file = try folder.write(
            """
            name: A
            steps:
              - set-view-controllers: { viewControllers: [5, { viewController: "@userAuth" }] }
                refused: invalid-body
            """)
        for result in try await [runLocally(file)[0], run(file, against: TestService())[0]] {
            #expect(result.status == .passed, text(result))
        }
    }

    @Test("The steps after a failed one do not run") func rest() async throws {
        let folder = try FlowFolder()
        let result = try await runLocally(
            folder.write("name: A\nsteps: [{sign-up: ada}, {select-row: None}, back]"))[0]
        #expect(result.steps.map(\.status) == [.passed, .failed, .skipped])
        #expect(result.failure?.step == 1)
        #expect(result.failure?.screen.contains("│ Authors") == false)
        #expect(result.failure?.screen.contains("[Authors]  Titles ") == true)
        #expect(result.failure?.screen.contains("15 authors") == true)
    }
}
