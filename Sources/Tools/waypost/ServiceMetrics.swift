import Foundation
import MicrohttpdServer
import SQLStore
import SQLiteStore
import Sessions
import Synchronization
import WaypostAPI
import WaypostCore

/// The metrics of the HTTP server, the store, the password hashing, the log and the process.
final class ServiceMetrics: Sendable {
    private let start = Date()
    let commits = CommitMetrics()
    let hashing = HashingMetrics()
    /// The server; nil while there is none.
    let server = Mutex<Server?>(nil)
    private let log: Log

    init(log: Log) { self.log = log }

    var families: [Family] {
        [
            .gauge("waypost_http_connections", "Open connections.") {
                self.server.withLock { $0?.connectionCount }
            },
            .gauge(
                "waypost_streams_behind", "Streams whose client has not read the last message."
            ) {
                self.server.withLock { $0?.behindStreamCount }
            },
            .histogram(
                "waypost_store_commit_duration_seconds",
                "Time from the beginning of a transaction until its commit with --durability.",
                commits.duration),
            .histogram(
                "waypost_store_commit_changes", "Number of changes in one transaction.",
                commits.size),
            .gauge(
                "waypost_password_hashes_waiting", "Passwords that wait to be hashed.",
                hashing.waiting),
            .histogram(
                "waypost_password_hash_duration_seconds",
                "Time to hash or check one password, without the wait.", hashing.duration),
            .counter(
                "waypost_log_entries_dropped_total",
                "Log entries that were lost because standard error was too slow.", log.dropped),
            .information(
                "waypost_build_info", "Always 1; the version is a label.",
                [("version", Waypost.version)]),
        ] + ProcessMetrics.families(since: start)
    }

    /// Returns the configured limits as metrics. With them, an alert rule can compare a metric, such
    /// as the number of open connections, with its limit. The rule need not repeat the limit as a
    /// number.
    /// - Parameters:
    ///   - configuration: the server's configuration, already adapted to the limit on file
    ///     descriptors.
    ///   - streams: the limits on change streams, already adapted to the limit on file descriptors.
    ///   - cachedSessions: the maximum number of unused sessions that stay in memory.
    static func limits(
        _ configuration: Server.Configuration, _ streams: StreamLimits, cachedSessions: Int
    ) -> [Family] {
        [
            .gauge("waypost_http_connections_limit", "Maximum number of open connections.") {
                configuration.maximumConnections
            },
            .gauge(
                "http_server_active_requests_limit", "Maximum number of requests in progress."
            ) { configuration.maximumRequests },
            .gauge("waypost_streams_limit", "Maximum number of open streams of changes.") {
                streams.maximum
            },
            .gauge(
                "waypost_sessions_cached_limit",
                "Maximum number of sessions that stay in memory while unused."
            ) { cachedSessions },
            .gauge(
                "waypost_password_hashes_waiting_limit", "Maximum number of passwords that wait."
            ) { PasswordHasher.waitingLimit },
        ]
    }
}

/// The metrics of the process, with the standard names of Prometheus client libraries.
enum ProcessMetrics {
    /// Returns the metrics.
    /// - Parameter start: the start time of the process.
    static func families(since start: Date) -> [Family] {
        [
            .counter(
                "process_cpu_seconds_total",
                "Processor time that the process has used, in user and system mode."
            ) { processorTime },
            .gauge("process_resident_memory_bytes", "Memory that the process has in RAM.") {
                // The second number in statm is the number of resident pages (proc(5)).
                numbers(in: "/proc/self/statm").dropFirst().first.map { $0 * pageSize }
            },
            .gauge("process_open_fds", "Open file descriptors.") {
                try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
            },
            .gauge("process_max_fds", "Maximum number of open file descriptors.") {
                var limit = rlimit()
                guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
                    return nil
                }
                return Int(clamping: limit.rlim_cur)
            },
            .gauge("process_start_time_seconds", "Start time of the process, since 1970-01-01.") {
                Int(start.timeIntervalSince1970)
            },
        ]
    }

    private static var processorTime: Double? {
        var usage = rusage()
        guard getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 else { return nil }
        return [usage.ru_utime, usage.ru_stime].reduce(0) {
            $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1_000_000
        }
    }

    private static let pageSize = sysconf(Int32(_SC_PAGESIZE))

    private static func numbers(in file: String) -> [Int] {
        let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
        return text.split(separator: " ").compactMap { Int($0) }
    }
}
