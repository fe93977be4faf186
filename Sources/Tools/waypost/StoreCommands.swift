import ArgumentParser
import Foundation
import JSON
import PostgresStore
import SQLStore
import SQLiteStore

/// The option that selects the store for a command.
struct StorePath: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The store: the value of --store of `waypost serve`.", valueName: "store"))
    var store = StoreOption.sqlite(path: StoreOption.defaultPath)

    func validate() throws {
        if store == .invalid { throw StoreOption.refusal }
    }

    func path() throws -> String {
        switch store {
        case .sqlite(let path): return path
        case .memory:
            throw ValidationError(
                "--store memory exists only inside the running service: name a sqlite:FILE")
        case .postgres:
            throw ValidationError(
                """
                the store is a PostgreSQL database: use pg_basebackup for backups, restore them as \
                docs/cluster.md says, and give other commands the --admin-socket of one of its services
                """)
        case .invalid: throw StoreOption.refusal
        }
    }
}

struct Backup: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copy the store of the running service into a new file.",
        discussion: "The service makes the copy, and accepts changes while it makes the copy.")

    @Argument(help: "The file to create. A file of this name must not exist.")
    var file: String

    @OptionGroup var service: RunningService

    func run() throws {
        let path = URL(filePath: file).standardizedFileURL.path
        let response = try service.postIfReachable("/store/backup") { $0.member("path", path) }
        guard response != nil else {
            let store = try service.store.path()
            throw CommandFailure(
                """
                no service listens at \(try service.socket()): start the service, or name its socket \
                with --admin-socket; to back up a stopped service, copy \(store) and, if it exists, \
                \(store)-wal: `waypost restore` accepts these files
                """)
        }
        printOutput("copied into \(path)")
    }
}

struct Restore: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Replace the store of a stopped service with a backup.",
        discussion: """
            The command checks the backup first, and does not change it. If a file with the same name \
            and -wal is beside the backup, it is a part of the backup. The old store stays beside the \
            new one under another name. A damaged row affects no other row: requests that need it \
            fail, and `waypost session end` removes a damaged session.
            """)

    @Argument(help: "The file of the backup.")
    var file: String

    @Flag(help: "Restore also a backup with damaged rows, and keep these rows as they are.")
    var keepDamagedRows = false

    @OptionGroup var store: StorePath

    func run() throws {
        let path = try store.path()
        let old = try SQLiteStore.restore(StoreOption.resolved(file), to: path) { rows in
            for row in rows { printError("\(file): \(row)") }
            return keepDamagedRows
        }
        printOutput("restored \(path) from \(file)")
        if let old { printOutput("the old store is kept in \(old)") }
    }
}

struct Store: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check, migrate or reset the store.",
        subcommands: [CheckStore.self, MigrateStore.self, ResetStore.self])
}

struct CheckStore: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Read everything in the store, and print its defects.",
        discussion: """
            If the service of a SQLite store runs, the service does the check, and otherwise this \
            command. This command always checks a PostgreSQL database itself, and ignores \
            --admin-socket. A SQLite store is copied beside its file, and the copy is read and \
            removed. Exits with 1 if there are defects.
            """)

    @OptionGroup var service: RunningService

    func run() throws {
        let (name, summary, defects) = try report()
        printOutput("\(name): \(summary)")
        for defect in defects { printError("\(name): \(defect)") }
        if !defects.isEmpty { throw ExitStatus.findings }
    }

    /// Checks the store.
    /// - Returns: the name of the store that was read, which the service knows if it does the check,
    ///   with a summary and the defects.
    private func report() throws -> (name: String, summary: String, defects: [String]) {
        if case .postgres(let url) = service.store.store {
            let target = try ConnectionTarget(url)
            let report = try PostgresStore.check(target)
            return (target.description, report.summary, report.defects)
        }
        if let response = try service.postIfReachable("/store/check", { _ in }) {
            return (
                try response["store"]?.text ?? "the store of the service at \(service.socket())",
                response["summary"]?.text ?? "", response["defects"]?.texts ?? []
            )
        }
        let path = try service.store.path()
        guard FileManager.default.isReadableFile(atPath: path) else {
            let exists = FileManager.default.fileExists(atPath: path)
            throw CommandFailure(
                exists
                    ? "\(path): the store cannot be read: run the command as its owner, or as root"
                    : "\(path): there is no store; name the store with --store")
        }
        do throws(StoreError) {
            let report = try SQLiteStore.check(path)
            return (path, report.summary, report.defects)
        } catch {
            switch error {
            case .cannotOpen, .inUse, .diskFull: throw error
            case .newerVersion, .foreignObject, .notDurable, .corrupt, .damagedRows, .notAStore:
                printError("\(error)")
                throw ExitStatus.findings
            }
        }
    }
}

struct MigrateStore: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Create the tables of a PostgreSQL database, or migrate them.",
        discussion: """
            Services of the previous release may continue to run during the migration, unless the \
            release notes say that all nodes must be stopped. A sqlite:FILE does not need this \
            command: the service migrates the file when it starts.
            """)

    @Option(help: ArgumentHelp("The URL of the database.", valueName: "url"))
    var store: StoreOption

    func run() throws {
        guard case .postgres(let url) = store else {
            throw ValidationError("--store must be the URL of a PostgreSQL database")
        }
        let target = try ConnectionTarget(url)
        let (before, after) = try PostgresStore.migrate(target)
        printOutput(
            before == after
                ? "\(target.description): already has schema version \(after)"
                : "\(target.description): migrated from schema version \(before) to \(after)")
    }
}

struct ResetStore: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset",
        abstract: "Remove all sessions and accounts of a stopped service.",
        discussion: """
            Only a backup can bring the sessions and accounts back. Without --yes, the command \
            removes nothing.
            """)

    @Flag(help: "Confirm that all sessions and accounts are to be removed.")
    var yes = false

    @OptionGroup var store: StorePath

    func validate() throws {
        if store.store == .memory { _ = try store.path() }
        guard !yes else { return }
        throw ValidationError(
            "this removes all sessions and accounts of \(store.store.defaultValueDescription): "
                + "add --yes to confirm the removal")
    }

    func run() throws {
        if case .postgres(let url) = store.store {
            let target = try ConnectionTarget(url)
            let (sessions, accounts) = try PostgresStore.reset(target)
            return printOutput(
                "\(target.description): removed \(sessions) sessions and \(accounts) accounts")
        }
        let path = try store.path()
        printOutput(
            try SQLiteStore.remove(path)
                ? "\(path): removed; the service creates a new store when it starts"
                : "\(path): there is no store, so there is nothing to remove")
    }
}

extension StoreReport {
    var summary: String { "\(sessions) sessions, \(accounts) accounts" }
}
