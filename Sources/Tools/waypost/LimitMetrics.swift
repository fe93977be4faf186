import MicrohttpdServer
import Sessions
import WaypostAPI
import WaypostCore

/// The configured limits as metrics. With them, an alert rule can compare a metric, such as the
/// number of open connections, with its limit. The rule need not repeat the limit as a number.
enum LimitMetrics {
    /// Returns the metrics.
    /// - Parameters:
    ///   - configuration: the server's configuration, already adapted to the limit on file
    ///     descriptors.
    ///   - streams: the limits on change streams, already adapted to the limit on file descriptors.
    ///   - cachedSessions: the maximum number of unused sessions that stay in memory.
    static func families(
        _ configuration: Server.Configuration, _ streams: StreamLimits, cachedSessions: Int
    ) -> [Family] {
        [
            gauge(
                "waypost_http_connections_limit", "Maximum number of open connections.",
                configuration.maximumConnections),
            gauge(
                "http_server_active_requests_limit",
                "Maximum number of requests in progress.", configuration.maximumRequests),
            gauge(
                "waypost_streams_limit", "Maximum number of open streams of changes.",
                streams.maximum),
            gauge(
                "waypost_sessions_cached_limit",
                "Maximum number of sessions that stay in memory while unused.", cachedSessions),
            gauge(
                "waypost_password_hashes_waiting_limit", "Maximum number of passwords that wait.",
                PasswordHasher.waitingLimit),
        ]
    }

    private static func gauge(_ name: String, _ help: String, _ value: Int) -> Family {
        .gauge(name, help) { value }
    }
}
