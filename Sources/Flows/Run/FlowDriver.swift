import JSON

/// Runs the steps of one flow in one session: in the process, or over HTTP.
public protocol FlowDriver: AnyObject {
    /// The names of the storyboard's scenes, for suggestions.
    var sceneNames: [String] { get }
    /// The coverage that records the parts that the flow has used; nil if the driver records none.
    var coverage: Coverage? { get }

    /// Performs an operation of the HTTP interface.
    func perform(_ operation: String, _ body: JSONObject) async throws -> Answer
    func patch(_ viewController: String, _ body: JSONObject) async throws -> Answer
    func logIn(_ username: String, _ password: String) async throws -> Answer
    func signUp(_ username: String, _ password: String) async throws -> Answer
    func logOut() async throws -> Answer
    /// Revokes the credential of the last log-in.
    func revoke() async throws
    /// Loads the session from its store again, as after a restart of the service.
    func restart() async throws
    /// Forks the session. All later calls use the fork.
    func fork() async throws

    /// Returns the JSON of the session, as a `GET` of the session does. A driver may leave its
    /// layers out.
    func session() async throws -> JSONValue
    /// Returns the JSON of all layers (the content of the window, and each presented screen), as
    /// `GET …/layers` does.
    func layers() async throws -> JSONValue
    /// Returns the JSON of the screen with these rows, as `GET …/screen` does.
    func screen(rows: Range<Int>) async throws -> JSONValue
    /// Returns the titles of all rows of the visible table; none if the screen is no table.
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

    /// - Parameter makeChange: returns the JSON of the response; called when an expectation first
    ///   needs it.
    init(refusal: Refusal? = nil, _ makeChange: @escaping () throws -> JSONValue = { .null }) {
        self.refusal = refusal
        self.makeChange = makeChange
    }

    /// Returns the JSON of the response to the change.
    func change() throws -> JSONValue {
        if let madeChange { return madeChange }
        let change = try makeChange()
        madeChange = change
        return change
    }
}

/// The reason why a flow cannot start, or cannot run to its end.
public struct FlowFailure: Error, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }
}
