import HTTPCore
import JSON

/// Runs the steps of one flow (a scripted test) in one session, either in this process or over
/// HTTP.
package protocol FlowDriver: AnyObject {
    /// The names of the storyboard's scenes. Error messages suggest similar names from this list.
    var sceneNames: [String] { get }

    /// Performs an operation of the HTTP interface, such as `push`.
    /// - Parameter body: the JSON body of the operation. That of a patch also has the id of the view
    ///   controller.
    /// - Returns: the response, which can be a refusal.
    func perform(_ operation: String, _ body: JSONObject) async throws -> Answer
    /// Makes an account without a log-in of the session.
    /// - Throws: `FlowFailure` if the account cannot be made.
    func makeAccount(_ username: String, _ password: String) async throws
    func logIn(_ username: String, _ password: String) async throws -> Answer
    func signUp(_ username: String, _ password: String) async throws -> Answer
    func logOut() async throws -> Answer
    /// Revokes the credential that the last log-in or sign-up returned.
    func revoke() async throws
    /// Loads the session again from the store, as the service does after a restart.
    func restart() async throws
    /// Forks the session, that is, makes a copy of it. All later calls use the copy.
    func fork() async throws
    /// Ends the session after the last step, if it would stay in a service.
    func end() async

    /// Returns the JSON of the session, as `GET /v1/sessions/{session}` does. The member `layers`
    /// may be missing, because `layers()` returns the layers.
    func session() async throws -> JSONValue
    /// Returns the JSON of all layers, as `GET /v1/sessions/{session}/layers` does. A layer is the
    /// content of the window or a presented screen.
    func layers() async throws -> JSONValue
    /// Returns the JSON of the visible screen, as `GET /v1/sessions/{session}/screen` does.
    /// - Parameter limit: the maximum number of table rows to return, from the first one on.
    func screen(limit: Int) async throws -> JSONValue
    /// Returns the titles of all rows of the visible table; empty if the screen is not a table.
    func rowTitles() async throws -> [String]
}

/// The response to an action of a flow: the JSON of the change, or a refusal.
package struct Answer {
    /// The refusal of an action: the HTTP status, the problem code, and an explanation for people.
    package struct Refusal: Sendable {
        package let status: Int
        package let code: String
        package let detail: String
    }

    /// The refusal; nil if the action succeeded.
    package var refusal: Refusal?
    /// Returns the JSON of the response, which describes how the session changed; null after a
    /// refusal. Most steps of flows do not need it.
    var change: () throws -> JSONValue = { .null }
}

extension Answer {
    /// Creates a refusal.
    init(_ problem: Problem) {
        refusal = Refusal(
            status: problem.status.code, code: problem.code, detail: problem.detail)
    }
}

/// The reason why a flow (a scripted test) cannot start or cannot continue.
package struct FlowFailure: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
