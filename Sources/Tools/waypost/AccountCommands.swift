import ArgumentParser
import Foundation
import JSON

struct AccountCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "account", abstract: "Show and change the accounts of the running service.",
        subcommands: [
            AddAccount.self, ListAccounts.self, DisableAccount.self, EnableAccount.self,
            ResetPassword.self, RemoveAccount.self, ExportAccount.self,
        ])
}

/// The account that a command shows or changes, and the service that has it.
struct NamedAccount: ParsableArguments {
    @Argument(help: "The username of the account.")
    var username: String

    @OptionGroup var service: RunningService

    func change(_ path: String, password: String? = nil) throws {
        try service.post(path) { json in
            json.member("username", username)
            if let password { json.member("password", password) }
        }
    }
}

struct AddAccount: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Create an account, even if sign-up is closed.",
        discussion: PasswordPrompt.help)

    @OptionGroup var account: NamedAccount

    func run() throws {
        try account.change("/accounts/add", password: PasswordPrompt.read())
        printOutput("\(account.username) can log in")
    }
}

struct ListAccounts: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the accounts, sorted by username.",
        discussion: """
            Each line has the time at which the account was created, its state (active or disabled) \
            and its username.
            """)

    @Flag(help: "Print one JSON object for each account.")
    var json = false

    @OptionGroup var service: RunningService

    func run() throws {
        try service.forEachItem(of: "/accounts/list") { account in
            if json { return printJSON(account.json) }
            let state = account["isDisabled"]?.flag == true ? "disabled" : "active  "
            printOutput(
                "\(account["createdAt"]?.text ?? "")  \(state)  \(account["username"]?.text ?? "")")
        }
    }
}

struct DisableAccount: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable",
        abstract: "Refuse log-ins to an account, and revoke its credentials.",
        discussion: """
            Each session that is logged in to the account returns to the login screen with its next \
            request.
            """)

    @OptionGroup var account: NamedAccount

    func run() throws {
        try account.change("/accounts/disable")
        printOutput("\(account.username) is disabled")
    }
}

struct EnableAccount: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable", abstract: "Allow log-ins to a disabled account again.")

    @OptionGroup var account: NamedAccount

    func run() throws {
        try account.change("/accounts/enable")
        printOutput("\(account.username) can log in again")
    }
}

struct ResetPassword: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset-password",
        abstract: "Set a new password of an account, and revoke its credentials.",
        discussion: PasswordPrompt.help)

    @OptionGroup var account: NamedAccount

    func run() throws {
        try account.change("/accounts/reset-password", password: PasswordPrompt.read())
        printOutput("\(account.username) has a new password")
    }
}

struct RemoveAccount: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove an account, its credentials and its sessions.",
        discussion: """
            The sessions that are logged in to the account end, too. --sessions ends them one by one \
            before the account is removed, which keeps the removal short if there are very many.
            """)

    @Argument(help: "The username of the account.")
    var username: String

    @Flag(help: "End the sessions one by one before the account is removed.")
    var sessions = false

    @OptionGroup var service: RunningService

    func run() throws {
        if sessions {
            // All ids are collected before the first session is ended, because each end changes the
            // pages of the list.
            var ids: [String] = []
            try service.forEachSession(of: username) { ids += [$0["id"]?.text].compactMap(\.self) }
            for id in ids {
                _ = try service.ifNotEnded {
                    try service.post("/sessions/end") { $0.member("session", id) }
                }
            }
        }
        try service.post("/accounts/remove") { $0.member("username", username) }
        printOutput("\(username) is removed")
    }
}
