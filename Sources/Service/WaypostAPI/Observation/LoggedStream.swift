import Dispatch
import HTTPCore
import WaypostCore

/// Wraps a stream, and writes an entry to the access log when the stream ends. The entry has the
/// duration and the size of the stream.
final class LoggedStream: StreamSource {
    private let source: any StreamSource
    private let opening: AccessEntry
    private let start: DispatchTime
    private let log: Log

    /// Wraps `source`.
    /// - Parameters:
    ///   - opening: the log entry that was written when the stream began.
    ///   - start: the time when the request began.
    init(_ source: any StreamSource, _ opening: AccessEntry, _ start: DispatchTime, _ log: Log) {
        self.source = source
        self.opening = opening
        self.start = start
        self.log = log
    }

    var timeLimit: Duration? { source.timeLimit }

    func begin(_ stream: any OutgoingStream) { source.begin(stream) }

    func canSend(_ stream: any OutgoingStream) { source.canSend(stream) }

    func heartbeat(_ stream: any OutgoingStream) { source.heartbeat(stream) }

    func ended(_ end: StreamEnd) {
        source.ended(end)
        var entry = opening
        let now = DispatchTime.now().uptimeNanoseconds
        entry.duration = .nanoseconds(now - start.uptimeNanoseconds)
        entry.bytes = end.size
        entry.streamEnd = end.reason.rawValue
        log.append(entry)
    }
}
