import Accounts
import Metrics
import MicrohttpdServer
import WaypostAPI

/// The configured limits as metrics. An alert rule can compare a metric, such as the number of open
/// connections, with its limit, and needs no number of its own.
enum LimitMetrics {
    /// Returns the metrics.
    /// - Parameters:
    ///   - configuration: the server's configuration, as lowered to the limit on file descriptors.
    ///   - streams: the limits on streams, as lowered to the limit on file descriptors.
    static func families(
        _ configuration: Server.Configuration, _ streams: StreamLimits, cachedSessions: Int
    ) -> [Family] {
        [
            gauge(
                "waypost_http_connections_limit", "The most connections that may be open.",
                configuration.maximumConnections),
            gauge(
                "http_server_active_requests_limit",
                "The most requests that may be in progress.", configuration.maximumRequests),
            gauge(
                "waypost_streams_limit", "The most streams of changes that may be open.",
                streams.maximum),
            gauge(
                "waypost_sessions_cached_limit",
                "The most sessions that stay in memory when nobody uses them.", cachedSessions),
            gauge(
                "waypost_password_hashes_waiting_limit", "The most passwords that may wait.",
                PasswordHasher.waitingLimit),
        ]
    }

    private static func gauge(_ name: String, _ help: String, _ value: Int) -> Family {
        .gauge(name, help) { value }
    }
}
