import ArgumentParser
import Foundation
import JSON

struct ExportAccount: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Print all that is stored of an account, as JSON.",
        discussion: """
            The account, its credentials, and the sessions that are logged in to it, each with its \
            tokens' names and its lifecycle events. No password, credential or token is printed. A \
            session that is used meanwhile is printed as it is when its turn comes.
            """)

    @Argument var username: String
    @OptionGroup var service: RunningService

    func run() throws {
        let account = try service.post("/accounts/show") { $0.member("username", username) }
        var sessions: [JSONValue] = []
        try service.forEachSession(of: username) { listed in
            guard let id = listed["id"]?.text else { return }
            sessions.append(try session(id, name: listed["name"] ?? .null))
        }
        let export = JSONObject(
            members: (account.object?.members ?? []) + [
                .init(name: "sessions", value: .array(sessions))
            ])
        printOutput(JSONValue.object(export).oneLine)
    }

    private func session(_ id: String, name: JSONValue) throws -> JSONValue {
        let shown = try service.post("/sessions/show") { $0.member("session", id) }
        var events: [JSONValue] = []
        var after: Int? = 0
        while let position = after {
            let page = try service.post("/sessions/events") { json in
                json.member("session", id)
                json.member("after", position)
                json.member("limit", 1000)
            }
            events += page["events"]?.elements ?? []
            after = page["next"]?.number
        }
        return .object(
            JSONObject(
                members: [.init(name: "name", value: name)] + (shown.object?.members ?? [])
                    + [.init(name: "events", value: .array(events))]))
    }
}

extension JSONValue {
    fileprivate var object: JSONObject? {
        if case .object(let object) = self { object } else { nil }
    }
}
