import Dispatch
import Foundation
import Logging
import Metrics

/// The log of the service. One thread writes the entries; the threads that log never wait for it, so
/// that a blocked output cannot stop the service.
public final class Log: Sendable {
    /// The maximum number of entries that may wait to be written. They take about 3 MB.
    public static let capacity = 8192
    /// The interval between two writes. The entries of an interval are written together.
    private static let pause = DispatchTimeInterval.milliseconds(5)

    /// The number of entries that were dropped because the writer was too slow.
    public let dropped = Counter()
    private let level: Logger.Level
    private let now: @Sendable () -> Int
    private let buffer: LogBuffer
    private let closing = DispatchSemaphore(value: 0)
    private let isWritten = DispatchSemaphore(value: 0)

    /// Starts the writing thread.
    /// - Parameters:
    ///   - level: the lowest level that is logged.
    ///   - now: returns the milliseconds since 1970.
    ///   - write: writes whole lines. The log calls it on a thread of its own, where it may block.
    public init(
        _ format: LogFormat, level: Logger.Level, capacity: Int = Log.capacity,
        now: @escaping @Sendable () -> Int, write: @escaping @Sendable ([UInt8]) -> Void
    ) {
        self.level = level
        self.now = now
        buffer = LogBuffer(capacity: capacity)
        let thread = Thread { [buffer, closing, isWritten] in
            let line = LogLine(format: format)
            var entries: [LogEntry] = []
            var bytes: [UInt8] = []
            while let dropped = buffer.takeAll(into: &entries) {
                bytes.removeAll(keepingCapacity: true)
                if dropped > 0 { line.append(Self.note(dropped, at: now()), to: &bytes) }
                for entry in entries { line.append(entry, to: &bytes) }
                write(bytes)
                if closing.wait(timeout: .now() + Self.pause) == .success { closing.signal() }
            }
            isWritten.signal()
        }
        thread.name = "waypost.log"
        thread.start()
    }

    private static func note(_ dropped: Int, at time: Int) -> LogEntry {
        LogEntry(
            time: time, level: .warning, label: "waypost.log",
            content: .message(
                "log entries were dropped", [("dropped", .number(dropped))]))
    }

    /// Returns a swift-log logger that writes to this log.
    public func logger(_ label: String) -> Logger {
        Logger(label: label) { LogWriter(log: self, label: $0, logLevel: self.level) }
    }

    /// Whether the level of the log includes access entries.
    public var hasAccess: Bool { level <= .info }

    /// Logs a request. The call has no effect if `hasAccess` is false.
    public func append(_ access: AccessEntry) {
        guard hasAccess else { return }
        append(.info, "waypost.access", .access(access))
    }

    func append(_ level: Logger.Level, _ label: String, _ content: LogEntry.Content) {
        let isTaken = buffer.append(
            LogEntry(time: now(), level: level, label: label, content: content))
        if !isTaken { dropped.increment() }
    }

    /// Waits until all entries are written, but at most one second, as the output may be blocked.
    /// Later entries are lost. The method blocks the calling thread and may be called only once.
    public func close() {
        closing.signal()
        buffer.close()
        _ = isWritten.wait(timeout: .now() + .seconds(1))
    }
}
