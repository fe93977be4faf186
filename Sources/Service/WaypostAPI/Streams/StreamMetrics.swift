import HTTPCore
import WaypostCore

/// The metrics of change streams.
struct StreamMetrics: Sendable {
    /// The way in which a stream began: with the current state for a client that sent no cursor
    /// (`live`), with the missed changes (`replayed`), with the current state in place of the
    /// missed changes (`snapshot`), or without a message (`nothingMissed`).
    enum Beginning: String, CaseIterable {
        case live, replayed, snapshot
        case nothingMissed = "nothing-missed"
    }

    /// The time from the moment when a change is stored until its message is given to the operating
    /// system. If several changes are sent together, only the time for the oldest one is recorded.
    let delay = Histogram(
        Buckets(microseconds: [
            50, 100, 250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000,
            1_000_000, 10_000_000,
        ]))
    private let beginnings = Counters(Beginning.allCases)
    private let messages = Counters(ChangeMessage.Kind.allCases)
    private let ends = Counters(StreamEnd.Reason.allCases)

    func opened(_ beginning: Beginning) { beginnings.increment(beginning) }
    func sent(_ message: ChangeMessage.Kind) { messages.increment(message) }
    func ended(_ reason: StreamEnd.Reason) { ends.increment(reason) }

    /// Returns the metric families of change streams.
    /// - Parameter streamCount: returns the number of open streams.
    func families(streamCount: @escaping @Sendable () -> Int) -> [Family] {
        [
            .gauge("waypost_streams", "Open streams of changes.") { streamCount() },
            .counters(
                "waypost_streams_opened_total", "Streams that began, by their first message.",
                label: "start", beginnings.all),
            .counters(
                "waypost_stream_messages_total", "Messages on streams, by type.", label: "type",
                messages.all),
            .counters(
                "waypost_streams_ended_total", "Streams that ended, by reason.", label: "reason",
                ends.all),
            .histogram(
                "waypost_stream_delay_seconds",
                "Time from the publication of a change until the system has its message.", delay),
        ]
    }

    /// One counter for each value of a label.
    private struct Counters<Label: RawRepresentable<String> & Hashable & Sendable>: Sendable {
        private let counters: [Label: Counter]

        init(_ labels: [Label]) {
            counters = Dictionary(uniqueKeysWithValues: labels.map { ($0, Counter()) })
        }

        func increment(_ label: Label) { counters[label]?.increment() }

        var all: [(value: String, Counter)] {
            counters.map { ($0.key.rawValue, $0.value) }.sorted { $0.value < $1.value }
        }
    }
}
