import ArgumentParser
import Foundation
import JSON

struct AccountCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "account", abstract: "Look after the accounts of the running service.",
        subcommands: [
            AddAccount.self, ListAccounts.self, DisableAccount.self, EnableAccount.self,
            ResetPassword.self, RemoveAccount.self,
        ])
}

struct AddAccount: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Make an account, also where sign-up is closed.",
        discussion: PasswordPrompt.help)

    @Argument var username: String
    @OptionGroup var service: RunningService

    func run() throws {
        try service.change("/accounts/add", username, password: PasswordPrompt.read())
        printOutput("\(username) can log in")
    }
}

struct ListAccounts: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the accounts, by name.",
        discussion: "One a line: when it was made, active or disabled, and the username.")

    @Flag(help: "Print each account as a JSON object, one a line.")
    var json = false

    @OptionGroup var service: RunningService

    func run() throws {
        let limit = 1000
        var last: String?
        var count = limit
        while count == limit {
            let page = try service.post("/accounts/list") { json in
                if let last { json.member("after", last) }
                json.member("limit", limit)
            }
            let accounts = page["accounts"]?.elements ?? []
            for account in accounts {
                let username = account["username"]?.text ?? ""
                let createdAt = account["createdAt"]?.text ?? ""
                let isDisabled = account["isDisabled"]?.flag == true
                printOutput(
                    json
                        ? Self.json(username, createdAt, isDisabled: isDisabled)
                        : "\(createdAt)  \(isDisabled ? "disabled" : "active  ")  \(username)")
                last = username
            }
            count = accounts.count
        }
    }

    private static func json(
        _ username: String, _ createdAt: String, isDisabled: Bool
    ) -> String {
        var json = JSONWriter()
        json.object { json in
            json.member("username", username)
            json.member("createdAt", createdAt)
            json.member("isDisabled", isDisabled)
        }
        return String(decoding: json.bytes, as: UTF8.self)
    }
}

struct DisableAccount: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable",
        abstract: "Let nobody into an account: its credentials are revoked.",
        discussion: "Whoever is logged in falls back to the login root with the next request.")

    @Argument var username: String
    @OptionGroup var service: RunningService

    func run() throws {
        try service.change("/accounts/disable", username)
        printOutput("\(username) is disabled")
    }
}

struct EnableAccount: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable", abstract: "Let its user into a disabled account again.")

    @Argument var username: String
    @OptionGroup var service: RunningService

    func run() throws {
        try service.change("/accounts/enable", username)
        printOutput("\(username) can log in again")
    }
}

struct ResetPassword: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset-password", abstract: "Set a password, and revoke all credentials.",
        discussion: PasswordPrompt.help)

    @Argument var username: String
    @OptionGroup var service: RunningService

    func run() throws {
        try service.change("/accounts/reset-password", username, password: PasswordPrompt.read())
        printOutput("\(username) has a new password")
    }
}

struct RemoveAccount: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove an account and its credentials.",
        discussion: "Whoever is logged in falls back to the login root with the next request.")

    @Argument var username: String
    @OptionGroup var service: RunningService

    func run() throws {
        try service.change("/accounts/remove", username)
        printOutput("\(username) is gone")
    }
}
