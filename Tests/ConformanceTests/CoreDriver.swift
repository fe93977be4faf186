import AppDefinition
import HTTPCore
import JSON
import NavigationRules
import WaypostCore

@testable import Sessions
@testable import WaypostAPI

/// Runs a case on the pure rules: no actor, no store, no socket.
final class CoreDriver: Driver {
    private var app: App
    private var window: Window
    /// The events that the log does not have in JSON yet.
    private var newEvents: [LifecycleEvent]
    private var log: [JSONValue] = []
    private let restartsOften: Bool
    private let username: String

    /// - Parameter restartsOften: Whether the window is stored and restored after each operation.
    init(
        _ app: App, lifecycle: String, isStrict: Bool? = nil, flags: [String: Bool] = [:],
        restartsOften: Bool = false, username: String = "ada"
    ) throws {
        self.app = app
        self.restartsOften = restartsOften
        self.username = username
        (window, newEvents) = try Window.launch(
            app, opening: nil, flags: flags, lifecycle: LifecycleOrder(rawValue: lifecycle),
            isStrict: isStrict)
    }

    func perform(_ operation: String, _ body: JSONValue) throws -> Answer {
        guard case .object(let object) = body else { preconditionFailure("a body is an object") }
        do {
            let (decoded, animated) = try decode(operation, object)
            let outcome: Outcome
            do throws(NavigationError) {
                outcome = try window.perform(decoded, animated: animated, in: app)
            } catch {
                throw Problem(error)
            }
            newEvents += outcome.events
            if restartsOften { window = Window.restore(window.stored, in: app).window }
            let change = ChangeResult(outcome, record)
            return Answer(
                status: 200, body: try written { $0.change(change, session: record, in: app) })
        } catch let problem as Problem {
            guard case .bytes(let bytes) = Response(problem).body else { throw problem }
            return Answer(
                status: problem.status.code,
                body: try JSONValue(parsing: bytes, maximumDepth: 8))
        }
    }

    private func decode(
        _ name: String, _ object: JSONObject
    ) throws(Problem) -> (Operation, animated: Bool?) {
        if name == LogOut.name { return (Operation(LogOut()), false) }
        if [LogIn.name, LogIn.signUpName].contains(name) {
            let isSignUp = name == LogIn.signUpName
            return (Operation(LogIn(username: username, isSignUp: isSignUp)), false)
        }
        guard name.hasPrefix("patch ") else { return try OperationCoder.decode(name, object) }
        let id = JSONObject.Member(
            name: "viewController", value: .string(String(name.dropFirst("patch ".count))))
        return try OperationCoder.decode(Patch.name, JSONObject(members: [id] + object.members))
    }

    func read(_ name: String) throws -> Answer {
        let body = try written { json in
            json.object { json in
                switch name {
                case "layers":
                    json.name("layers")
                    json.layers(window.layers)
                case "view-controllers":
                    json.name("viewControllers")
                    json.viewControllers(window.viewControllers)
                case "screen":
                    let top = window.topViewController
                    json.member("viewController", "vc", top.id.number)
                    json.screenMembers(window.screen)
                    json.name("rows")
                    json.rows(0..<1000, of: window, in: app, EncodedRows(app))
                    json.taps(
                        of: window, rows: 0..<1000, in: app, EncodedRows(app))
                default: preconditionFailure("nothing is named \(name)")
                }
            }
        }
        return Answer(status: 200, body: body)
    }

    func restart(_ storyboard: String) throws {
        app = try ConformanceTests.app(storyboard)
        let (restored, events) = Window.restore(window.stored, in: app)
        window = restored
        newEvents += events ?? []
    }

    func session() throws -> JSONValue { try written { $0.session(record, in: app) } }

    func events() throws -> [JSONValue] {
        log += try written { $0.events(newEvents) }.elements ?? []
        newEvents = []
        return log
    }

    private var record: SessionState {
        let environment = Environment(now: { Timestamp(milliseconds: 0) }, random: { 1 })
        return SessionState(
            id: SessionID.make(environment),
            tokenHash: Secret.make(for: .session, environment).hash,
            createdAt: environment.now(), expiresAt: environment.now(), window: window,
            credential: nil, credentialRefusal: nil)
    }

    private func written(_ write: (inout JSONWriter) -> Void) throws -> JSONValue {
        var json = JSONWriter()
        write(&json)
        return try JSONValue(parsing: json.bytes, maximumDepth: 32)
    }
}
