import ArgumentParser
import Foundation
import JSON
import PostgresStore
import SQLiteStore
import StoreCoding

/// The option that selects the store for a command.
struct StorePath: ParsableArguments {
    @Option(help: ArgumentHelp("The store, as `waypost serve` has it.", valueName: "store"))
    var store = StoreOption.sqlite(path: StoreOption.defaultPath)

    func path() throws -> String {
        switch store {
        case .sqlite(let path): return path
        case .memory:
            throw ValidationError("the memory store ends with its process: name a sqlite:FILE")
        case .postgres:
            throw ValidationError(
                """
                the store is in a PostgreSQL database: back it up and restore it with \
                pg_basebackup, and name the --admin-socket of one of its services for other commands
                """)
        }
    }
}

struct Backup: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copy the store of the running service into a new file.",
        discussion: "The service makes the copy; changes go on in the meantime.")

    @Argument(help: "The file to make. It must not exist.")
    var file: String

    @OptionGroup var service: RunningService

    func run() throws {
        let path = URL(filePath: file).standardizedFileURL.path
        let response = try service.postIfReachable("/store/backup") { $0.member("path", path) }
        guard response != nil else {
            let store = try service.store.path()
            printError(
                """
                no service listens at \(try service.socket()): start it, or name its \
                --admin-socket; if it is to stay stopped, copy \(store) and, where there is one, \
                \(store)-wal: waypost restore takes both
                """)
            throw ExitCode(1)
        }
        printOutput("copied into \(path)")
    }
}

struct Restore: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Put a backup in the place of the store of a stopped service.",
        discussion: """
            The backup is checked first, and not changed. A -wal file beside it belongs to it. The \
            old store is kept beside the new one.
            """)

    @Argument(help: "The backup.")
    var file: String

    @OptionGroup var store: StorePath

    func run() throws {
        let path = try store.path()
        do {
            let old = try SQLiteStore.restore(file, to: path)
            printOutput("\(path) is now what \(file) is")
            if let old { printOutput("the old store is \(old)") }
        } catch {
            printError("\(error)")
            throw ExitCode(1)
        }
    }
}

struct Store: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Look after the store.",
        subcommands: [CheckStore.self, MigrateStore.self, ResetStore.self])
}

struct CheckStore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Read everything in the store, and say what is wrong.",
        discussion: """
            Through the service if it runs, else directly. A copy beside the store is read, and \
            removed afterwards. Exits with 1 on defects.
            """)

    @OptionGroup var service: RunningService

    func run() async throws {
        if case .postgres(let url) = service.store.store { return try await checkDatabase(url) }
        let path = try service.store.path()
        let (summary, defects) = try report(path)
        printOutput("\(path): \(summary)")
        for defect in defects { printError("\(path): \(defect)") }
        if !defects.isEmpty { throw ExitCode(1) }
    }

    private func checkDatabase(_ url: String) async throws {
        do {
            let target = try ConnectionTarget(url)
            let report = try PostgresStore.check(target)
            printOutput("\(target.description): \(report.summary)")
            for defect in report.defects { printError("\(target.description): \(defect)") }
            if !report.defects.isEmpty { throw ExitCode(1) }
        } catch let error as PostgresStoreError {
            printError("\(error)")
            throw ExitCode(1)
        }
    }

    private func report(_ path: String) throws -> (summary: String, defects: [String]) {
        if let response = try service.postIfReachable("/store/check", { _ in }) {
            return (response["summary"]?.text ?? "", response["defects"]?.texts ?? [])
        }
        guard FileManager.default.fileExists(atPath: path) else {
            printError("\(path): there is no store")
            throw ExitCode(1)
        }
        do {
            let report = try SQLiteStore.check(path)
            return (report.summary, report.defects)
        } catch {
            printError("\(error)")
            throw ExitCode(1)
        }
    }
}

struct MigrateStore: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Make the tables of a PostgreSQL database, or migrate them.",
        discussion: """
            Services of the release before may go on in the meantime. A sqlite:FILE needs no \
            command: the start of the service migrates it.
            """)

    @Option(help: ArgumentHelp("The URL of the database.", valueName: "url"))
    var store: StoreOption

    func run() throws {
        guard case .postgres(let url) = store else {
            throw ValidationError("--store must be the URL of a PostgreSQL database")
        }
        do {
            let target = try ConnectionTarget(url)
            let (before, after) = try PostgresStore.migrate(target)
            printOutput(
                before == after
                    ? "\(target.description): has schema version \(after) already"
                    : "\(target.description): schema version \(before) is now \(after)")
        } catch {
            printError("\(error)")
            throw ExitCode(1)
        }
    }
}

struct ResetStore: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset",
        abstract: "Remove all sessions and accounts of a stopped service.",
        discussion: "There is no way back without a backup. Removes nothing without --yes.")

    @Flag(help: "Remove them.")
    var yes = false

    @OptionGroup var store: StorePath

    func validate() throws {
        if store.store == .memory { _ = try store.path() }
        guard !yes else { return }
        throw ValidationError(
            "this removes all sessions and accounts of \(store.store.defaultValueDescription): "
                + "add --yes if they are to go")
    }

    func run() throws {
        do {
            if case .postgres(let url) = store.store {
                let target = try ConnectionTarget(url)
                let (sessions, accounts) = try PostgresStore.reset(target)
                printOutput(
                    "\(target.description): removed \(sessions) sessions and \(accounts) accounts")
            } else {
                let path = try store.path()
                guard FileManager.default.fileExists(atPath: path) else {
                    printOutput("\(path): there is no store, so there is nothing to remove")
                    return
                }
                try SQLiteStore.remove(path)
                printOutput("\(path): removed; the next start makes a new store")
            }
        } catch {
            printError("\(error)")
            throw ExitCode(1)
        }
    }
}

extension StoreReport {
    var summary: String { "\(sessions) sessions, \(accounts) accounts" }
}
