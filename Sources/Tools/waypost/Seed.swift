import Flows
import HTTPCore
import JSON
import NavigationRules
import Sessions
import WaypostAPI
import WaypostCore
import Yams

/// Accounts and sessions that the service creates when it starts. They are for tests, which then
/// know the passwords and tokens. The file is YAML or JSON, for example:
///
///     accounts:
///       - { username: ada, password: correct horse battery staple }
///     sessions:
///       - id: 00000000000000000000000000000001
///         token: wps_0000000000000000000000000000000000000000000000000000000000000001
///         account: ada
///         open: /authors/jules-verne
struct Seed {
    private struct Account {
        let username: String
        /// The form in which usernames are compared.
        let key: String
        let password: String
        let place: Place
    }

    private struct Session {
        let id: SessionID
        let token: Secret
        let name: String?
        let account: Account?
        let link: Link?
        let lifecycle: LifecycleOrder?
        let isStrict: Bool?
        let place: Place
    }

    /// The number of accounts that were created, the number of sessions that were created, and the
    /// number of accounts and sessions together that existed already (`present`).
    struct Counts {
        var accounts = 0
        var sessions = 0
        var present = 0
    }

    private let path: String
    private var accounts: [Account] = []
    private var sessions: [Session] = []

    /// Reads the file at `path`.
    /// - Throws: the first defect of the file.
    init(path: String) throws(FileDefect) {
        try self.init(try YAMLFile.text(path), path: path)
    }

    init(_ text: String, path: String) throws(FileDefect) {
        self.path = path
        guard let root = try YAMLFile.root(of: text, path: path) else { return }
        let members = try members(of: root, ["accounts", "sessions"], "the file")
        for node in try elements(of: members["accounts"], "accounts") {
            let account = try account(node)
            guard self.account(account.username) == nil else {
                throw defect(node, "the account \(account.username) is listed twice: remove one")
            }
            accounts.append(account)
        }
        for node in try elements(of: members["sessions"], "sessions") {
            let session = try session(node)
            if let account = session.account,
                sessions.count(where: { $0.account?.key == account.key }) >= Credential.validLimit
            {
                throw defect(
                    node,
                    "account: each session of an account needs a credential of its own, and "
                        + "\(account.username) can have only \(Credential.validLimit): remove a "
                        + "session")
            }
            guard !sessions.contains(where: { $0.id == session.id }) else {
                throw defect(node, "the session \(session.id) is listed twice: remove one")
            }
            sessions.append(session)
        }
    }

    private func account(_ username: String) -> Account? {
        let key = Self.key(username)
        return accounts.first { $0.key == key }
    }

    private static func key(_ username: String) -> String {
        (try? Username(username))?.key ?? username
    }

    // MARK: Reading

    private func account(_ node: Node) throws(FileDefect) -> Account {
        let members = try members(of: node, ["username", "password"], "an account")
        let username = try text(members, "username", of: node)
        return Account(
            username: username, key: Self.key(username),
            password: try text(members, "password", of: node), place: node.place(in: path))
    }

    private func session(_ node: Node) throws(FileDefect) -> Session {
        let members = try members(
            of: node, ["id", "token", "name", "account", "open", "lifecycle", "strict"],
            "a session")
        let digits = try text(members, "id", of: node)
        guard let id = SessionID(digits) else {
            throw defect(members["id"] ?? node, "id: expected 32 digits of 0-9 and a-f")
        }
        guard let token = Secret(try text(members, "token", of: node), for: .session) else {
            throw defect(
                members["token"] ?? node, "token: expected wps_ and 64 digits of 0-9 and a-f")
        }
        let name = try textIfPresent(members, "name")
        if let name, let defect = BodyReader.defect(ofName: name) {
            throw self.defect(members["name"] ?? node, "name: \(defect)")
        }
        var account: Account?
        if let name = try textIfPresent(members, "account") {
            account = self.account(name)
            guard account != nil else {
                throw defect(
                    members["account"] ?? node,
                    "account: no account in this file has the username \(name)")
            }
        }
        let lifecycle = members["lifecycle"].flatMap { LifecycleOrder(rawValue: $0.string ?? "") }
        if let node = members["lifecycle"], lifecycle == nil {
            throw defect(node, "lifecycle: expected forwarded or native")
        }
        let isStrict = members["strict"]?.bool
        if let node = members["strict"], isStrict == nil {
            throw defect(node, "strict: expected true or false")
        }
        return Session(
            id: id, token: token, name: name, account: account,
            link: try textIfPresent(members, "open").map { text throws(FileDefect) in
                try link(text, at: members["open"] ?? node)
            },
            lifecycle: lifecycle, isStrict: isStrict, place: node.place(in: path))
    }

    private func link(_ text: String, at node: Node) throws(FileDefect) -> Link {
        do throws(Problem) {
            let link = Link(reference: text)
            let member = JSONObject.Member(name: link.member, value: .string(link.text))
            // The decoder refuses a text that is no link.
            _ = try OperationCoder.decode(Open.name, JSONObject(members: [member]))
            return link
        } catch {
            throw defect(node, "open: \(error.detail)")
        }
    }

    private func elements(of node: Node?, _ name: String) throws(FileDefect) -> [Node] {
        guard let node, node.null == nil else { return [] }
        guard let sequence = node.sequence else {
            throw defect(node, "\(name): expected a list")
        }
        return Array(sequence)
    }

    private func members(
        of node: Node, _ names: [String], _ owner: String
    ) throws(FileDefect) -> [String: Node] {
        guard let mapping = node.mapping else {
            throw defect(node, "expected \(owner) with \(names.joined(separator: ", "))")
        }
        var members: [String: Node] = [:]
        for (key, value) in mapping {
            let name = key.scalar?.string ?? ""
            guard names.contains(name) else {
                let advice =
                    didYouMean(name, among: names)
                    ?? "the keys are \(names.joined(separator: ", "))"
                throw defect(key, "unknown key \(name) of \(owner); \(advice)")
            }
            members[name] = value
        }
        return members
    }

    private func text(
        _ members: [String: Node], _ name: String, of owner: Node
    ) throws(FileDefect) -> String {
        guard let text = try textIfPresent(members, name) else {
            throw defect(owner, "\(name) is missing")
        }
        return text
    }

    private func textIfPresent(
        _ members: [String: Node], _ name: String
    ) throws(FileDefect) -> String? {
        guard let node = members[name] else { return nil }
        guard let text = node.scalar?.string, node.null == nil else {
            throw defect(node, "\(name): expected a text")
        }
        return text
    }

    private func defect(_ node: Node, _ reason: String) -> FileDefect {
        FileDefect(node.place(in: path), reason)
    }

    // MARK: Making

    /// Creates the accounts and sessions that do not exist yet. Does not change those that exist.
    /// - Throws: the defect of the first account or session that cannot be created.
    func apply(
        to accountDirectory: AccountDirectory, _ directory: SessionDirectory
    ) async throws(FileDefect) -> Counts {
        var counts = Counts()
        for account in accounts {
            let isNew = try await failing(at: account.place) { () async throws(SessionError) in
                do throws(SessionError) {
                    try await accountDirectory.add(account.username, account.password)
                    return true
                } catch {
                    guard error == .usernameTaken else { throw error }
                    return false
                }
            }
            if isNew { counts.accounts += 1 } else { counts.present += 1 }
        }
        for session in sessions {
            let isNew = try await failing(at: session.place) { () async throws(SessionError) in
                // Without the password: an account that existed already may have another one.
                try await directory.open(
                    session.id, token: session.token, account: session.account?.username,
                    name: session.name, lifecycle: session.lifecycle, isStrict: session.isStrict,
                    at: session.link)
            }
            if isNew { counts.sessions += 1 } else { counts.present += 1 }
        }
        return counts
    }

    private func failing<Value>(
        at place: Place, _ body: () async throws(SessionError) -> Value
    ) async throws(FileDefect) -> Value {
        do throws(SessionError) {
            return try await body()
        } catch {
            let problem = OperationCoder.problem(error)
            throw FileDefect(place, problem.detail + (problem.cause.map { " (\($0))" } ?? ""))
        }
    }
}
