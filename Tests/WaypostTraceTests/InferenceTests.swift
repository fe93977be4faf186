import Flows
import TestSupport
import Testing

@Suite("Actions that a trace does not record") struct InferenceTests: TraceSuite {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("A pop by the app's code that is not recorded is inferred from the stack")
    func inferredPop() async throws {
        let result = try await verify(
            """
            {"waypostTrace": 1, "username": "ada", "callbacks": ["viewDidLoad"]}
            {"callbacks": ["viewDidLoad authors"], "stack": ["Authors"]}
            {"did": {"select-row": "Jules Verne"}, "callbacks": ["viewDidLoad books"], \
            "stack": ["Authors", "Jules Verne"]}
            {"did": {"select-row": "From the Earth to the Moon"}, \
            "callbacks": ["viewDidLoad cover"], \
            "stack": ["Authors", "Jules Verne", "From the Earth to the Moon"]}
            {"callbacks": [], "stack": ["Authors"]}
            """)
        #expect(result.failure?.reason == nil)
        #expect(result.steps.last?.step.text == "(not recorded: pop-to: authors)")
    }

    @Test("No action is inferred from callbacks that are not compared")
    func otherCallbacks() async throws {
        let result = try await verify(
            """
            {"waypostTrace": 1, "username": "ada", "callbacks": ["viewDidLoad", "viewWillAppear"]}
            {"callbacks": ["viewDidLoad authors", "viewWillAppear authors"]}
            {"did": {"select-row": "Jules Verne"}, \
            "callbacks": ["viewDidLoad books", "viewWillAppear books"]}
            {"callbacks": ["viewIsAppearing books"], "stack": ["Authors", "Jules Verne"]}
            """)
        #expect(result.failure?.reason == nil)
        #expect(result.steps.last?.step.text == "(not recorded)")
    }

    @Test("An action that is not recorded is inferred from the parameters on the stack")
    func inferredFromParameters() async throws {
        let result = try await verify(
            """
            {"waypostTrace": 1, "username": "ada", "callbacks": []}
            {"stack": ["Authors"]}
            {"stack": [{"scene": "authors", "parameters": {}}, \
            {"scene": "books", "parameters": {"author": "jules-verne"}}]}
            """)
        #expect(result.failure?.reason == nil)
        #expect(result.steps.last?.step.text == "(not recorded: tap: Jules Verne)")
    }

    @Test("A log-in that is not recorded is inferred from the stack")
    func inferredLogIn() async throws {
        let result = try await verify(
            """
            {"waypostTrace": 1, "callbacks": []}
            {"stack": ["Log In"]}
            {"stack": ["Authors"]}
            """)
        #expect(result.failure?.reason == nil)
        #expect(result.steps.last?.step.text == "(not recorded: log-in: somebody)")
    }

    @Test("Each log-in and log-out is inferred, also if a session has several")
    func inferredLogIns() async throws {
        let result = try await verify(
            """
            {"waypostTrace": 1, "callbacks": []}
            {"stack": ["Log In"]}
            {"stack": ["Authors"]}
            {"stack": ["Log In"]}
            {"stack": ["Authors"]}
            """)
        #expect(result.failure?.reason == nil)
        #expect(
            result.steps.dropFirst().map(\.step.text) == [
                "(not recorded: log-in: somebody)", "(not recorded: log-out)",
                "(not recorded: log-in: somebody)",
            ])
    }

    @Test("In a strict app, the log-in or the sign-up that the form submits is inferred")
    func inferredForms() async throws {
        let storyboard = try folder.write(
            """
            {"name": "A", "initialScene": "home", "loginScene": "login", "strict": true, "scenes": {
              "home": {"kind": "blank", "title": "Home"},
              "login": {"kind": "form", "title": "Log In", "access": "login", "submit": "log-in",
                "buttons": [{"title": "Join", "segue": "join"}],
                "segues": [{"identifier": "join", "kind": "show", "scene": "join"}]},
              "join": {"kind": "form", "title": "Join", "access": "login", "submit": "sign-up"}}}
            """, to: "strict.json")
        let result = try await verify(
            """
            {"waypostTrace": 1, "callbacks": []}
            {"stack": ["Log In"]}
            {"stack": ["Home"]}
            {"stack": ["Log In"]}
            {"stack": ["Log In", "Join"]}
            {"stack": ["Home"]}
            {"stack": ["Log In"]}
            {"stack": ["Log In", "Join"]}
            {"stack": ["Home"]}
            """, storyboard: storyboard)
        #expect(result.failure?.reason == nil)
        let signUps = ["sign-up: somebody6", "sign-up: somebody9"]
        #expect(
            result.steps.dropFirst().map(\.step.text)
                == ([
                    "log-in: somebody", "log-out", "tap: Join", signUps[0], "log-out", "tap: Join",
                    signUps[1],
                ]).map { "(not recorded: \($0))" })
    }

    @Test(
        "Without a stack, an action that is not recorded is inferred from its compared callbacks",
        arguments: [
            (#""viewDidLoad titles""#, "Titles"),
            (#""viewDidLoad books", "viewIsAppearing books""#, "Jane Austen"),
        ])
    func inferredFromCallbacks(callbacks: String, tap: String) async throws {
        let result = try await verify(
            """
            {"waypostTrace": 1, "username": "ada", "callbacks": ["viewDidLoad"]}
            {"callbacks": ["viewDidLoad authors"]}
            {"callbacks": [\(callbacks)]}
            """)
        #expect(result.failure?.reason == nil)
        #expect(result.steps.last?.step.text == "(not recorded: tap: \(tap))")
    }

    @Test("A jump that nobody recorded and that the storyboard does not have is a departure")
    func unexplainedJump() async throws {
        let result = try await verify(
            """
            {"waypostTrace": 1, "username": "ada", "callbacks": ["viewDidAppear"]}
            {"callbacks": ["viewDidAppear authors"], "stack": ["Authors"]}
            {"callbacks": ["viewDidAppear signUp"], "stack": ["Authors", "Sign Up"]}
            """)
        #expect(result.failure?.step == 1)
        #expect(
            result.failure?.reason.hasPrefix("no tap, segue, pop or log-in of the storyboard")
                == true)
    }
}
