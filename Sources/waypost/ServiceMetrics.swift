import Accounts
import Foundation
import Logs
import Metrics
import SQLiteStore

/// What is measured below the routes.
struct ServiceMetrics: Sendable {
    private let start = Date()
    let commits = CommitMetrics()
    let hashing = HashingMetrics()
    let server = ServerReference()
    let log: Log

    var families: [Family] {
        [
            .gauge("waypost_http_connections", "Open connections.") {
                [server] in server.server?.connectionCount
            },
            .histogram(
                "waypost_store_commit_duration_seconds",
                "One transaction, from its beginning until it is as safe as --durability says.",
                commits.duration),
            .histogram(
                "waypost_store_commit_changes", "Changes that shared one transaction.",
                commits.size),
            .gauge(
                "waypost_password_hashes_waiting", "Passwords that wait to be hashed.",
                hashing.waiting),
            .histogram(
                "waypost_password_hash_duration_seconds",
                "Hashing or checking one password, without the wait.", hashing.duration),
            .counter(
                "waypost_log_entries_dropped_total",
                "Log entries that were lost, as standard error was too slow.", log.dropped),
            .information(
                "waypost_build_info", "Always 1; the version is a label.",
                [("version", Waypost.version)]),
        ] + ProcessMetrics.families(since: start)
    }
}
