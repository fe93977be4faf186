import AppDefinition
import AppLoading
import Flows
import Foundation
import TestSupport
import Testing
import WaypostTrace

@Suite("Traces of a real app") struct TraceTests: TraceSuite {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("An app that follows the storyboard and the rules agrees with them in each step")
    func agreement() async throws {
        let result = try await verify(walk())
        #expect(result.failure?.reason == nil)
        #expect(result.status == .passed)
        #expect(
            result.steps.map(\.step.text) == [
                "(launch)", "sign-up: ada", "back", "select-row: Jules Verne",
                "select-row: From the Earth to the Moon", "back", "(not recorded: tap: Authors)",
            ])
    }

    @Test("The names of the app's screens are mapped to those of the storyboard")
    func mappedNames() async throws {
        let text = walk(scenes: ["BooksController": "books", "LogInController": "userAuth"])
        #expect(text.contains("viewDidLoad BooksController"))
        #expect(!text.contains("viewDidLoad books"))
        #expect(try await verify(text).status == .passed)
    }

    @Test(
        "An action can have the app's name of a scene, too",
        arguments: [
            #"{"push": "TitlesController"}"#, #"{"push": {"scene": "TitlesController"}}"#,
            #"{"set-view-controllers": ["@authors", "TitlesController"]}"#,
            #"{"batch": [{"push": "TitlesController"}]}"#,
        ])
    func mappedAction(did: String) async throws {
        let result = try await verify(
            """
            {"waypostTrace": 1, "username": "ada", "scenes": {"TitlesController": "titles"}, \
            "callbacks": ["viewDidLoad"]}
            {"callbacks": ["viewDidLoad authors"], "stack": ["Authors"]}
            {"did": \(did), "callbacks": ["viewDidLoad TitlesController"], \
            "stack": ["Authors", {"scene": "TitlesController"}]}
            """)
        #expect(result.failure?.reason == nil)
        #expect(result.status == .passed)
    }

    @Test("A user who logs in later has an account, and one with an invalid name has none")
    func laterLogIn() async throws {
        func verify(_ name: String) async throws -> FlowResult {
            try await self.verify(
                """
                {"waypostTrace": 1, "username": "ada", "callbacks": []}
                {"stack": ["Authors"]}
                {"did": "log-out", "stack": ["Log In"]}
                {"did": {"log-in": "\(name)"}, "stack": ["Authors"]}
                """)
        }
        #expect(try await verify("grace").failure?.reason == nil)
        #expect(
            try await verify("x").failure?.reason
                == "the rules refuse this with wrong-password: the username or the password is "
                + "wrong")
    }

    @Test(
        "The user of the first line can log in again with the password that the app accepts",
        arguments: [#""ada""#, #"{"username": "Ada", "password": "another secret 1"}"#])
    func userOfFirstLine(user: String) async throws {
        let result = try await verify(
            """
            {"waypostTrace": 1, "username": "ada", "callbacks": []}
            {"stack": ["Authors"]}
            {"did": "log-out", "stack": ["Log In"]}
            {"did": {"log-in": {"username": "ada", "password": "wrong"}}, "stack": ["Log In"]}
            {"did": {"log-in": \(user)}, "stack": ["Authors"]}
            """)
        #expect(result.failure?.reason == nil)
        #expect(result.status == .passed)
    }

    @Test(
        "The user of the first line is logged in also in a strict app that starts with its log-in",
        arguments: ["login", "welcome"])
    func strictLogIn(loginScene: String) async throws {
        let storyboard = try folder.write(
            """
            {"name": "A", "initialScene": "home", "loginScene": "\(loginScene)", "strict": true, \
            "scenes": {
              "home": {"kind": "blank", "title": "Home"},
              "welcome": {"kind": "blank", "title": "Welcome", "access": "login",
                "segues": [{"identifier": "in", "kind": "show", "scene": "login"}]},
              "login": {"kind": "form", "title": "Log In", "access": "login", \
            "submit": "log-in"}}}
            """, to: "strict.json")
        let result = try await verify(
            """
            {"waypostTrace": 1, "username": "ada", "callbacks": []}
            {"stack": ["Home"]}
            """, storyboard: storyboard)
        #expect(result.failure?.reason == nil)
        #expect(result.status == .passed)
    }

    @Test(
        "The drawing of a recorded screen has the recorded rows, or their number",
        arguments: [
            (#"["Emma", "Persuasion"]"#, ["│ Emma  ", "│ Persuasion  "]),
            (#"{"count": 3}"#, ["│ … 3 more rows  "]), ("[]", ["│ (no rows)  "]),
        ])
    func drawnRows(rows: String, texts: [String]) async throws {
        let result = try await verify(
            """
            {"waypostTrace": 1, "username": "ada", "callbacks": []}
            {"stack": ["Authors"], "rows": \(rows)}
            """)
        let screen = try #require(result.failure?.screen)
        for text in texts { #expect(screen.contains(text), "\(screen)") }
        #expect(screen.contains("(no rows)") == (rows == "[]"))
    }

    @Test("Callbacks that an app does not record are not compared")
    func someCallbacks() async throws {
        let kinds: [TraceRecorder.Callback] = [.viewDidLoad, .viewDidAppear]
        #expect(try await verify(walk(.missingCallback, callbacks: kinds)).status == .passed)
        #expect(try await verify(walk(.repeatedCallback, callbacks: kinds)).status == .failed)
    }

    @Test(
        "Each departure of an app is found in its step, with the reason",
        arguments: [
            (.missingCallback, 5, "the callback viewDidDisappear cover is missing"),
            (
                .repeatedCallback, 5,
                "the callback viewDidAppear books is not expected"
            ),
            (
                .otherOrder, 5,
                "the callback viewWillAppear books comes before viewWillDisappear cover"
            ),
            (.pushesTwice, 3, "the app departs from the storyboard: stack, back"),
            (.illegalJump, 3, "the app departs from the storyboard: stack, callbacks"),
            (.nothingHappens, 3, "the app departs from the storyboard: stack, callbacks"),
        ] as [(SimulatedApp.Fault, Int, String)])
    func departures(fault: SimulatedApp.Fault, step: Int, reason: String) async throws {
        let result = try await verify(walk(fault))
        #expect(result.failure?.step == step)
        #expect(result.failure?.reason == reason)
        #expect(
            result.steps.map(\.status)
                == result.steps.indices.map {
                    $0 < step ? .passed : $0 == step ? .failed : .skipped
                })
    }

    @Test("A departure shows what the rules say and what the app did, and draws both screens")
    func sideBySide() async throws {
        let result = try await verify(walk(.illegalJump))
        let text = FlowText(hasColors: false).text(of: result)
        #expect(
            text.contains(
                """
                  stack, line 5
                    expected                              found
                    { scene: authors, title: Authors }    { scene: authors, title: Authors }
                  ≠ { scene: books, title: Jules Verne }  { scene: signUp, title: Sign Up }
                """))
        #expect(
            text.contains(
                """
                  the storyboard shows                   the app shows
                  ┌───────────────────────────────────┐  ┌───────────────────────────────────┐
                  │ ‹ Authors  Jules Verne            │  │ ‹ Authors    Sign Up              │
                """))
    }

    @Test("Callbacks in the order of the other lifecycle are told from faults")
    func otherLifecycle() async throws {
        let result = try await verify(walk(lifecycle: .forwarded))
        #expect(result.failure?.step == 0)
        #expect(
            result.failure?.reason.hasSuffix(
                #"; in this order, the first line needs `"lifecycle": "native"`"#) == true)
    }

    @Test("A callback of a screen that the first line does not map is a mistake, told once")
    func unmappedCallback() throws {
        let text = """
            {"waypostTrace": 1, "username": "ada", "callbacks": ["viewDidAppear"]}
            {"callbacks": ["viewDidAppear AuthorsController"]}
            {"callbacks": ["viewDidAppear AuthorsController"]}
            """
        #expect(
            try defects(text, scenes: ["authors", "books"]) == [
                "trace.jsonl:2:1: the storyboard has no scene AuthorsController: map it by "
                    + "`scenes` in the first line"
            ])
    }

    @Test("An app that records no callbacks is compared by its actions and stacks alone")
    func noCallbacks() async throws {
        let text = """
            {"waypostTrace": 1, "username": "ada", "callbacks": []}
            {"stack": ["Authors"]}
            {"did": {"select-row": "Jules Verne"}, "stack": ["Authors", "Jules Verne"]}
            {"stack": ["Authors"]}
            """
        let result = try await verify(text)
        #expect(result.status == .passed)
        #expect(result.steps.last?.step.text == "(not recorded: tap: Authors)")
        let wrong = try await verify(text.replacing(#""Jules Verne"]"#, with: #""Verne"]"#))
        #expect(wrong.failure?.step == 1)
    }

    @Test("A long trace that fails names the fewest lines that fail in the same way")
    func shortest() async throws {
        let walk = #"{"did": {"select-row": "Jules Verne"}, "stack": ["Authors", "Jules Verne"]}"#
        let back = #"{"did": "back", "stack": ["Authors"]}"#
        let needed = #"{"did": {"select-row": "Oscar Wilde"}, "stack": ["Authors", "Oscar Wilde"]}"#
        let lines =
            [
                #"{"waypostTrace": 1, "username": "ada", "callbacks": []}"#,
                #"{"stack": ["Authors"]}"#,
            ]
            + Array(repeating: [walk, back], count: 10).flatMap(\.self)
            + [needed, #"{"did": {"select-row": "Salome"}, "stack": ["Authors", "Salome"]}"#]
        let result = try await verify(lines.joined(separator: "\n"))
        #expect(result.failure?.step == 22)
        #expect(result.failure?.fewestLines == [1, 2, 23, 24])
        #expect(
            FlowText(hasColors: false).text(of: result).contains(
                "\n  the lines 1, 2, 23 and 24 alone fail in the same way\n"))
    }

    @Test("A row that the screen does not have is named, with a near one")
    func missingRow() async throws {
        let result = try await verify(
            """
            {"waypostTrace": 1, "username": "ada"}
            {"did": {"select-row": "Jules Vern"}, "stack": ["Authors", "Jules Verne"]}
            """)
        #expect(
            result.failure?.reason
                == "no row has the title Jules Vern; did you mean Jules Verne?")
    }

    @Test("A refused action agrees with an app in which nothing happens, and with no other")
    func refusal() async throws {
        let head = #"{"waypostTrace": 1, "username": "ada"}"# + "\n"
        let nothing = #"{"did": "back", "stack": ["Authors"]}"#
        #expect(try await verify(head + nothing).status == .passed)
        let other = #"{"did": "back", "stack": ["Titles"]}"#
        let reason = try await verify(head + other).failure?.reason
        #expect(
            reason
                == "the rules refuse this with no-back-button: the navigation bar shows no back button"
        )
    }

    @Test(
        "The layers of a step are their number, or the titles on top of them",
        arguments: [
            ("1", .passed), ("2", .failed), (#"["Authors"]"#, .passed), (#"["Titles"]"#, .failed),
            (#"["Authors", null]"#, .failed),
        ] as [(String, FlowResult.Status)])
    func layers(recorded: String, expected: FlowResult.Status) async throws {
        let result = try await verify(
            """
            {"waypostTrace": 1, "username": "ada", "callbacks": ["viewDidLoad"]}
            {"callbacks": ["viewDidLoad authors"], "layers": \(recorded)}
            """)
        #expect(result.status == expected)
    }

    @Test("A scene that the storyboard does not have is named, with the way to map it")
    func unknownScene() throws {
        let text = walk(scenes: [:]).replacing(#""books""#, with: #""book""#)
        #expect(
            try defects(text, scenes: ["userAuth", "authors", "books", "cover"]) == [
                "trace.jsonl:5:1: the storyboard has no scene book: map it by `scenes` in the first "
                    + "line, did you mean books?"
            ])
    }
}
