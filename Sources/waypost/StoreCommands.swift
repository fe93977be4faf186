import ArgumentParser
import Foundation
import JSON
import SQLiteStore

/// The store that a command is about.
struct StorePath: ParsableArguments {
    @Option(help: ArgumentHelp("The store, as `waypost serve` has it.", valueName: "store"))
    var store = StoreOption.sqlite(path: StoreOption.defaultPath)

    func path() throws -> String {
        guard case .sqlite(let path) = store else {
            throw ValidationError("the memory store ends with its process: name a sqlite:FILE")
        }
        return path
    }
}

struct Backup: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copy the store of the running service into a new file.",
        discussion: "The service makes the copy, between two changes, which wait in the meantime.")

    @Argument(help: "The file to make. It must not exist.")
    var file: String

    @OptionGroup var store: StorePath

    func run() throws {
        let client = AdminClient(socket: StoreOption.socket(of: try store.path()))
        let path = URL(filePath: file).standardizedFileURL.path
        var body = JSONWriter()
        body.object { $0.member("path", path) }
        do {
            let answer = try client.post("/store/backup", body)
            guard answer.status == 200 else {
                printError(answer.body["detail"]?.text ?? "the service answered \(answer.status)")
                throw ExitCode(1)
            }
            printOutput("copied into \(path)")
        } catch is AdminClient.Unreachable {
            printError(
                """
                no service listens at \(client.socket): start it, or, if it is to stay stopped, \
                copy the file of the store with its -wal file
                """)
            throw ExitCode(1)
        }
    }
}

struct Restore: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Put a backup in the place of the store of a stopped service.",
        discussion: "The backup is checked first. The old store is kept beside the new one.")

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
        abstract: "Look after the store.", subcommands: [CheckStore.self])
}

struct CheckStore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Read everything in the store, and say what is wrong.",
        discussion: "Through the service if it runs, else directly. Exits with 1 on defects.")

    @OptionGroup var store: StorePath

    func run() async throws {
        let path = try store.path()
        let (summary, defects) = try await report(path)
        printOutput("\(path): \(summary)")
        for defect in defects { printError("\(path): \(defect)") }
        if !defects.isEmpty { throw ExitCode(1) }
    }

    private func report(_ path: String) async throws -> (summary: String, defects: [String]) {
        if let answer = try? AdminClient(socket: StoreOption.socket(of: path))
            .post("/store/check", JSONWriter()), answer.status == 200
        {
            return (answer.body["summary"]?.text ?? "", answer.body["defects"]?.texts ?? [])
        }
        guard FileManager.default.fileExists(atPath: path) else {
            printError("\(path): there is no store")
            throw ExitCode(1)
        }
        do {
            let report = try await SQLiteStore(path: path).check()
            return (report.summary, report.defects)
        } catch {
            printError("\(error)")
            throw ExitCode(1)
        }
    }
}

extension StoreReport {
    var summary: String { "\(sessions) sessions, \(accounts) accounts" }
}
