import ArgumentParser
import Foundation
import JSON

struct SessionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "session", abstract: "Look after the sessions of the running service.",
        subcommands: [ListSessions.self, ShowSession.self, EndSession.self])
}

struct ListSessions: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the sessions that are logged in to an account.",
        discussion:
            "One a line, the newest first: when it was opened, its id, and the title on top.")

    @Option(help: "The username of the account.")
    var account: String

    @Flag(help: "Print one JSON object for each session.")
    var json = false

    @OptionGroup var service: RunningService

    func run() throws {
        try service.forEachSession(of: account) { session in
            if json { return printOutput(session.oneLine) }
            let title = session["title"]?.text ?? session["scene"]?.text ?? ""
            printOutput(
                "\(session["createdAt"]?.text ?? "")  \(session["id"]?.text ?? "")  "
                    + title.printableLine)
        }
    }
}

struct ShowSession: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Print a session as JSON, as GET /v1/sessions/ID does.",
        discussion: "With the names of its further tokens. No token is printed.")

    @Argument(help: "The id of the session, 32 digits.")
    var id: String

    @OptionGroup var service: RunningService

    func run() throws {
        printOutput(try service.post("/sessions/show") { $0.member("session", id) }.oneLine)
    }
}

struct EndSession: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "end", abstract: "End a session, as DELETE /v1/sessions/ID does.",
        discussion: "Its clients get 404 session-not-found with their next request.")

    @Argument(help: "The id of the session, 32 digits.")
    var id: String

    @OptionGroup var service: RunningService

    func run() throws {
        try service.post("/sessions/end") { $0.member("session", id) }
        printOutput("\(id) has ended")
    }
}

extension RunningService {
    /// Calls `body` with each session that is logged in to an account. The JSON of a session has
    /// the form in which `GET /v1/account/sessions` returns it.
    func forEachSession(of username: String, _ body: (JSONValue) throws -> Void) throws {
        var cursor: String?
        repeat {
            let page = try post("/sessions/list") { json in
                json.member("username", username)
                if let cursor { json.member("cursor", cursor) }
                json.member("limit", 100)
            }
            for session in page["sessions"]?.elements ?? [] { try body(session) }
            cursor = page["next"]?.text
        } while cursor != nil
    }
}

extension JSONValue {
    /// The value as JSON on one line.
    var oneLine: String {
        var json = JSONWriter()
        json.write(self)
        return String(decoding: json.bytes, as: UTF8.self)
    }
}
