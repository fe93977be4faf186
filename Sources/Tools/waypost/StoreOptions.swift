import ArgumentParser
import Foundation
import PostgresStore
import SQLStore
import SQLiteStore
import Sessions
import WaypostAPI
import WaypostCore

/// The options that select the store of the service.
struct StoreOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Where the service keeps sessions and accounts: sqlite:FILE, memory (until the process \
            ends), or postgres://USER@HOST/DATABASE, which services on many machines can share.
            """, valueName: "store"))
    var store = StoreOption.sqlite(path: StoreOption.defaultPath)

    @Option(
        help: ArgumentHelp(
            """
            When the service sends the response to a change: after the change is on disk (full), or \
            at most 100 ms before (relaxed). With relaxed, a power failure can undo the change.
            """, valueName: "full|relaxed"))
    var durability = SQLiteStore.Durability.full

    @OptionGroup var postgres: PostgresOptions

    typealias Opened = (
        store: any SessionStore, maintenance: AdminAPI.Maintenance, metrics: [Family]
    )

    func validate() throws {
        if store == .invalid { throw StoreOption.refusal }
    }

    /// Opens the store.
    /// - Throws: the reason why the store cannot be used.
    func open(_ metrics: CommitMetrics, _ environment: Environment) throws -> Opened {
        switch store {
        case .memory:
            let reason = "the service keeps its store in memory: only a sqlite:FILE "
            let maintenance = AdminAPI.Maintenance.refused(
                backup: reason + "can be backed up", check: reason + "can be checked")
            return (MemoryStore(), maintenance, [])
        case .sqlite(let path):
            return try openFile(path, metrics, environment)
        case .postgres(let url):
            let metrics = PostgresMetrics(commits: metrics)
            let store = try postgres.open(
                url, isRelaxed: durability == .relaxed, environment, metrics)
            let families = metrics.families { [weak store] in store?.waitingCount }
            let reason = "the service keeps its store in a PostgreSQL database: "
            let maintenance = AdminAPI.Maintenance.refused(
                backup: reason + "back it up with pg_basebackup",
                check: reason + "check it with `waypost store check --store URL`")
            return (store, maintenance, families)
        case .invalid: throw StoreOption.refusal
        }
    }

    private func openFile(
        _ path: String, _ metrics: CommitMetrics, _ environment: Environment
    ) throws -> Opened {
        let folder = URL(filePath: path).deletingLastPathComponent()
        do {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true)
        } catch {
            let cause = (error as? CocoaError)?.underlying ?? error
            throw CommandFailure(
                "the folder \(folder.path) for the store cannot be created: "
                    + cause.localizedDescription)
        }
        let store = try SQLiteStore(
            path: path, durability: durability, metrics: metrics)
        let lastBackup = Gauge()
        let maintenance = AdminAPI.Maintenance(
            backup: { (path) async throws(StorageError) in
                try await store.backup(to: path)
                lastBackup.set(environment.now().milliseconds / 1000)
            },
            check: { () async throws(StorageError) in
                let report = try await store.check()
                let file = URL(filePath: path).standardizedFileURL.path
                return (file, report.summary, report.defects)
            })
        let families: [Family] = [
            .gauge(
                "waypost_last_backup_timestamp_seconds",
                "End of the last backup of this process, since 1970-01-01; 0 before the first one.",
                lastBackup)
        ]
        return (store, maintenance, families)
    }
}

extension AdminAPI.Maintenance {
    /// The operations of a store that is not a file: each is refused with a reason.
    fileprivate static func refused(backup: String, check: String) -> Self {
        Self(
            backup: { _ throws(StorageError) in throw StorageError(reason: backup) },
            check: { () throws(StorageError) in throw StorageError(reason: check) })
    }
}

extension SQLiteStore.Durability: ExpressibleByArgument {}
