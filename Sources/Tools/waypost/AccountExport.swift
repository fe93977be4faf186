import ArgumentParser
import Foundation
import JSON

struct ExportAccount: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Print an account with its sessions as JSON.",
        discussion: """
            The output has the account, its valid credentials, and the sessions that are logged in \
            with one of them, each with the names of its tokens and its lifecycle events. It has no \
            password, no token and no secret of a credential. A disabled account has no valid \
            credential: export an account before you disable it. The sessions are read one after \
            the other, so that a change during the export may or may not be in the output. A session \
            that ends meanwhile is left out.
            """)

    @OptionGroup var named: NamedAccount

    private var service: RunningService { named.service }

    func run() throws {
        let account = try service.post("/accounts/show") { $0.member("username", named.username) }
        var sessions: [JSONValue] = []
        try service.forEachSession(of: named.username) { listed in
            guard let id = listed["id"]?.text else { return }
            let name = listed["name"] ?? .null
            if let session = try service.ifNotEnded({ try session(id, name: name) }) {
                sessions.append(session)
            }
        }
        let export = (account.object ?? [:]).setting("sessions", to: .array(sessions))
        printJSON(JSONValue.object(export).json)
    }

    private func session(_ id: String, name: JSONValue) throws -> JSONValue {
        let shown = try service.post("/sessions/show") { $0.member("session", id) }
        var events: [JSONValue] = []
        try service.forEachItem(
            of: "/sessions/events", naming: { $0.member("session", id) }, { events.append($0) })
        let members = (shown.object ?? [:]).setting("events", to: .array(events)).members
        return .object(JSONObject(members: [.init(name: "name", value: name)] + members))
    }
}
