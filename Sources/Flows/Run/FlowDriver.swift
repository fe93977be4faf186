import JSON

/// Runs the steps of one flow in one session: in the process, or over HTTP.
public protocol FlowDriver: AnyObject {
    /// The names of the storyboard's scenes, for suggestions.
    var sceneNames: [String] { get }
    /// The records of what the flow has used; nil where nobody records it.
    var coverage: Coverage? { get }

    /// Performs an operation of the HTTP interface.
    func perform(_ operation: String, _ body: JSONObject) async throws -> Answer
    func patch(_ viewController: String, _ body: JSONObject) async throws -> Answer
    func logIn(_ username: String, _ password: String) async throws -> Answer
    func signUp(_ username: String, _ password: String) async throws -> Answer
    func logOut() async throws -> Answer
    /// Revokes the credential of the last log-in.
    func revoke() async throws
    /// Has the session read from its store again.
    func restart() async throws
    /// Goes on in a fork of the session.
    func fork() async throws

    /// The session as `GET` of the session gives it, perhaps without its layers.
    func session() async throws -> JSONValue
    /// All layers, as `GET …/layers` gives them.
    func layers() async throws -> JSONValue
    /// The rows as `GET …/screen` gives them.
    func screen(rows: Range<Int>) async throws -> JSONValue
    /// The titles of all rows of the visible table; empty if the screen is no table.
    func rowTitles() async throws -> [String]
}

/// The response to a step.
public final class Answer {
    /// A refusal of an operation.
    public struct Refusal: Sendable {
        public let status: Int
        public let code: String
        public let detail: String
    }

    public let refusal: Refusal?
    private let makeChange: () throws -> JSONValue
    private var madeChange: JSONValue?

    /// - Parameter makeChange: returns the response to the change, when an expectation needs it.
    init(refusal: Refusal? = nil, _ makeChange: @escaping () throws -> JSONValue = { .null }) {
        self.refusal = refusal
        self.makeChange = makeChange
    }

    /// The response to the change.
    func change() throws -> JSONValue {
        if let madeChange { return madeChange }
        let change = try makeChange()
        madeChange = change
        return change
    }
}

/// The reason why a flow cannot run at all, or not to its end.
public struct FlowFailure: Error, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }
}
