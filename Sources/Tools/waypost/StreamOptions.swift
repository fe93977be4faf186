import ArgumentParser
import MicrohttpdServer
import WaypostAPI

/// The options of change streams, which send the changes of a session to its clients.
struct StreamOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The maximum number of open streams of changes; 0 turns streams off.",
            discussion: "A further stream gets the response 503.", valueName: "number"))
    var maxStreams = limits.maximum

    @Option(
        help: ArgumentHelp(
            "The maximum number of open streams of changes of one session.",
            discussion: "A further stream gets the response 429.", valueName: "number",
            visibility: .hidden))
    var maxStreamsPerSession = limits.maximumPerSession

    @Option(
        help: ArgumentHelp(
            "How long a stream may be silent before the service sends a comment on it.",
            discussion: "The inspector and the example clients need 15 seconds or less.",
            valueName: "duration",
            visibility: .hidden))
    var streamHeartbeat = DurationOption(Server.Configuration().streamHeartbeat)

    @Option(
        help: ArgumentHelp(
            "The time after which a stream ends and its client reconnects; 0 is no limit.",
            valueName: "duration",
            visibility: .hidden))
    var streamLifetime = limits.lifetime.map { DelayOption($0) } ?? .none

    private static let limits = StreamLimits()

    func validate() throws {
        try checkRanges([
            ("max-streams", maxStreams, 0...1_000_000),
            ("max-streams-per-session", maxStreamsPerSession, 1...1_000_000),
        ])
    }

    /// Copies the heartbeat interval to `configuration`. The interval is the time for which a
    /// stream may be silent before the server sends a comment on it.
    /// - Returns: the limits on streams from the other options.
    func apply(to configuration: inout Server.Configuration) -> StreamLimits {
        configuration.streamHeartbeat = streamHeartbeat.duration
        var limits = StreamLimits()
        limits.maximum = maxStreams
        limits.maximumPerSession = maxStreamsPerSession
        limits.lifetime = streamLifetime.duration == .zero ? nil : streamLifetime.duration
        return limits
    }
}
