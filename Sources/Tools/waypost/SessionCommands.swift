import ArgumentParser
import Foundation
import HTTPCore
import JSON
import WaypostAPI

struct SessionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "session", abstract: "Show and end sessions of the running service.",
        subcommands: [ListSessions.self, ShowSession.self, EndSession.self])
}

struct ListSessions: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the sessions that are logged in to an account.",
        discussion: """
            Each line has the time at which the session was opened, its id, and the title of its top \
            view controller. The newest session is first.
            """)

    @Option(help: "The username of the account.")
    var account: String

    @Flag(help: "Print one JSON object for each session.")
    var json = false

    @OptionGroup var service: RunningService

    func run() throws {
        try service.forEachSession(of: account) { session in
            if json { return printJSON(session.json) }
            let title = session["title"]?.text ?? session["scene"]?.text ?? ""
            printOutput(
                "\(session["createdAt"]?.text ?? "")  \(session["id"]?.text ?? "")  "
                    + title.printableLine)
        }
    }
}

struct ShowSession: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Print a session and the names of its tokens as JSON.",
        discussion: """
            The member `session` of the output is what GET /v1/sessions/ID returns, and `tokens` has \
            the names of the session's further tokens, but no token.
            """)

    @Argument(help: "The id of the session, 32 digits.")
    var id: String

    @OptionGroup var service: RunningService

    func run() throws {
        printJSON(try service.post("/sessions/show") { $0.member("session", id) }.json)
    }
}

struct EndSession: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "end", abstract: "End a session, as DELETE /v1/sessions/ID does.",
        discussion: """
            The next request of each client of the session gets 404 session-not-found. A session that \
            cannot be read, because its row in the store is damaged, is removed, too.
            """)

    @Argument(help: "The id of the session, 32 digits.")
    var id: String

    @OptionGroup var service: RunningService

    func run() throws {
        try service.post("/sessions/end") { $0.member("session", id) }
        printOutput("\(id) has ended")
    }
}

extension RunningService {
    /// Calls `body`, which uses a session of a list. The session can have ended since it was listed.
    /// - Returns: the result of `body`; nil if the session has ended.
    func ifNotEnded<Value>(_ body: () throws -> Value) throws -> Value? {
        do { return try body() } catch let failure as CommandFailure {
            guard failure.code == Problem.Kind.sessionNotFound.code else { throw failure }
            return nil
        }
    }

    /// Calls `body` with each session that is logged in to an account. The JSON of a session has
    /// the form in which `GET /v1/account/sessions` returns it.
    func forEachSession(of username: String, _ body: (JSONValue) throws -> Void) throws {
        try forEachItem(
            of: "/sessions/list", naming: { $0.member("username", username) }, body)
    }

    /// Calls `body` with each item of a list, and reads page after page of it.
    /// - Parameter name: writes the members of the request that name the list.
    func forEachItem(
        of path: String, naming name: (inout JSONWriter) -> Void = { _ in },
        _ body: (JSONValue) throws -> Void
    ) throws {
        var after: String?
        repeat {
            let page = try post(path) { json in
                name(&json)
                if let after { json.member("after", after) }
                json.member("limit", 1000)
            }
            for item in page["items"]?.elements ?? [] { try body(item) }
            after = page["next"]?.text
        } while after != nil
    }
}
