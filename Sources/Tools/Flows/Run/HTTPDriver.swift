import Foundation
import HTTPCore
import JSON
import NavigationRules
import Sessions
import WaypostAPI
import WaypostCore

/// A running service, and the storyboard that it serves.
package struct RemoteService: Sendable {
    let client: HTTPClient
    /// The name of the storyboard.
    package let storyboard: String
    /// The entity tag of the storyboard, which differs for each other storyboard.
    let storyboardTag: EntityTag
    let sceneNames: [String]

    /// Asks a service for the name and the scenes of its storyboard.
    /// - Parameter url: the URL of the service, such as `http://127.0.0.1:8080`.
    /// - Throws: `FlowFailure` if the URL is not valid or no Waypost service responds.
    package init(_ url: String) throws {
        client = try HTTPClient(url)
        let (status, content) = try client.exchange("GET", "/v1/storyboard")
        guard status == 200, let body = try? JSONValue(parsing: content, maximumDepth: 64),
            let name = body["name"]?.text
        else {
            throw FlowFailure("\(url): no Waypost service responds there (status \(status))")
        }
        storyboard = name
        storyboardTag = EntityTag(hashing: content)
        sceneNames = body["scenes"]?.object?.members.map(\.name) ?? []
    }
}

/// Runs a flow (a scripted test) against a running service, over HTTP. The driver adds a suffix to
/// each valid user name of the flow. The suffix differs in each run, because the service still has
/// the accounts of earlier runs. A name that is too long for the suffix loses its end.
package final class HTTPDriver: FlowDriver {
    private let service: RemoteService
    private(set) var id: String
    private var path: String { "/v1/sessions/\(id)" }
    private var token: String
    private let suffix: String
    /// The user names of the flow, by those in the service.
    private var usernames: [String: String] = [:]
    private var credential: String?

    package var sceneNames: [String] { service.sceneNames }

    /// Opens a session in the service.
    /// - Parameters:
    ///   - lifecycle: the order of the lifecycle callbacks: UIKit's own (`native`), or that of an
    ///     app whose navigation delegate makes these calls itself (`forwarded`);
    ///     nil for the storyboard's.
    ///   - isStrict: whether the session refuses operations that no user can perform; nil if the
    ///     storyboard decides.
    ///   - flags: the flags whose values differ from the storyboard's.
    /// - Throws: `FlowFailure` if the service opens no session.
    package init(
        _ service: RemoteService, lifecycle: String?, isStrict: Bool?, flags: [String: Bool] = [:]
    ) throws {
        self.service = service
        var body = JSONObject()
        if let lifecycle { body = body.setting("lifecycle", to: .string(lifecycle)) }
        if let isStrict { body = body.setting("strict", to: .boolean(isStrict)) }
        if !flags.isEmpty {
            let flags = flags.sorted { $0.key < $1.key }.map { ($0, JSONValue.boolean($1)) }
            body = body.setting("flags", to: .object(JSONObject(pairs: flags)))
        }
        (id, token) = try service.client.openSession(body, orElse: "the service opens no session")
        suffix = "-\(id.suffix(8).lowercased())"
    }

    // MARK: Operations

    package func perform(_ operation: String, _ body: JSONObject) async throws -> Answer {
        guard operation == Patch.name else { return try change("POST", operation, body) }
        // The path of the request contains the id of the view controller. A patch without a valid id
        // has no path, so that the rules of the service refuse it here.
        do throws(Problem) { _ = try OperationCoder.decode(operation, body) } catch {
            return Answer(error)
        }
        let id = body["viewController"]?.text ?? ""
        return try change(
            "PATCH", "view-controllers/\(PercentEncoding.encoded(id, plain: .unreserved))",
            body.without(["viewController"]))
    }

    /// Signs up in a session of its own. It is not strict, so that no form has to be shown.
    package func makeAccount(_ username: String, _ password: String) async throws {
        let client = service.client
        let (id, token) = try client.openSession(
            ["strict": false], orElse: "the account \(username): the service opens no session")
        let (status, answer) = try client.send(
            "POST", "/v1/sessions/\(id)/\(LogIn.signUpName)", account(username, password),
            bearer: token)
        _ = try client.send("DELETE", "/v1/sessions/\(id)", bearer: token)
        guard status == 200 else {
            throw FlowFailure(
                "the account \(username): \(answer["detail"]?.text ?? "status \(status)")")
        }
    }

    package func logIn(_ username: String, _ password: String) async throws -> Answer {
        try change("POST", LogIn.name, account(username, password))
    }

    package func signUp(_ username: String, _ password: String) async throws -> Answer {
        try change("POST", LogIn.signUpName, account(username, password))
    }

    package func logOut() async throws -> Answer { try change("POST", LogOut.name, JSONObject()) }

    private func account(_ username: String, _ password: String) -> JSONObject {
        ["username": .string(remoteName(of: username)), "password": .string(password)]
    }

    private func remoteName(of username: String) -> String {
        guard let name = try? Username(username).text else { return username }
        let start = name.unicodeScalars.prefix(Username.maximumLength - suffix.count)
        let remote = String(start) + suffix
        usernames[remote] = name
        return remote
    }

    private func change(
        _ method: String, _ operation: String, _ body: JSONObject
    ) throws -> Answer {
        let (status, body) = try service.client.send(
            method, "\(path)/\(operation)", body, bearer: token)
        guard status == 200 else {
            return Answer(
                refusal: Answer.Refusal(
                    status: status, code: body["code"]?.text ?? "status \(status)",
                    detail: body["detail"]?.text ?? ""))
        }
        if let credential = body["credential"]?.text { self.credential = credential }
        return Answer(change: { body })
    }

    package func revoke() async throws {
        let noUser = FlowFailure("no user is logged in, so that there is no credential to revoke")
        guard let credential else { throw noUser }
        let (status, list) = try service.client.send(
            "GET", "/v1/account/credentials", bearer: credential)
        guard status != 401 else { throw noUser }
        guard
            // The newest credential is the first in the list, and no other session uses the
            // account.
            let id = list["items"]?.elements?.first?["id"]?.text,
            try service.client.send(
                "DELETE", "/v1/account/credentials/\(id)", bearer: credential
            ).status == 204
        else { throw FlowFailure("the credential could not be revoked") }
    }

    package func restart() async throws {
        throw FlowFailure("restart runs in the process alone, not with --url")
    }

    package func fork() async throws {
        let fork = try service.client.openSession(
            ["fork": ["session": .string(id)]], bearer: token,
            orElse: "the session cannot be forked")
        await end()
        (id, token) = fork
    }

    package func end() async {
        _ = try? service.client.send("DELETE", path, bearer: token)
    }

    // MARK: Reading

    package func session() async throws -> JSONValue {
        try read("").replacingUsername(by: usernames)
    }

    package func layers() async throws -> JSONValue { try read("/layers") }

    package func screen(limit: Int) async throws -> JSONValue {
        try read("/screen?limit=\(limit)")
    }

    package func rowTitles() async throws -> [String] {
        var titles: [String] = []
        var after = ""
        while true {
            let screen = try read("/screen?limit=1000\(after)")
            titles += screen["rows"]?.elements?.map { $0["title"]?.text ?? "" } ?? []
            guard let next = screen["next"]?.text else { return titles }
            after = "&after=\(next)"
        }
    }

    private func read(_ part: String) throws -> JSONValue {
        let (status, body) = try service.client.send("GET", path + part, bearer: token)
        guard status == 200 else {
            throw FlowFailure(body["detail"]?.text ?? "GET \(path): status \(status)")
        }
        return body
    }
}

extension JSONValue {
    /// Returns the JSON of a session with the user name of the flow.
    /// - Parameter usernames: the user names of the flow, by those in the service.
    fileprivate func replacingUsername(by usernames: [String: String]) -> JSONValue {
        guard let object, let auth = object["auth"]?.object, let remote = auth["username"]?.text,
            let name = usernames[remote]
        else { return self }
        let user = auth.setting("username", to: .string(name))
        return .object(object.setting("auth", to: .object(user)))
    }
}
