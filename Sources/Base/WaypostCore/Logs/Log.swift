import Dispatch
import Foundation
import Logging

/// The log of the service. One thread writes the entries to the output. The threads that add
/// entries never wait for the output, so a blocked output cannot stop the service.
public final class Log: Sendable {
    /// The maximum number of entries that wait to be written. This many entries take about 3 MB.
    public static let capacity = 8192
    /// The pause after each write. The next write contains all entries that were added meanwhile.
    private static let pause = DispatchTimeInterval.milliseconds(5)

    /// The number of entries that were dropped because the buffer was full or the log was closed.
    public let dropped = Counter()
    private let level: Logger.Level
    private let now: @Sendable () -> Int
    private let buffer: LogBuffer
    private let closing = DispatchSemaphore(value: 0)
    private let isWritten = DispatchSemaphore(value: 0)

    /// Starts the writing thread.
    /// - Parameters:
    ///   - level: the lowest level that is logged.
    ///   - capacity: the maximum number of entries that wait to be written.
    ///   - now: returns the current time in milliseconds since 1970.
    ///   - write: writes whole lines. It is called on the writing thread, where it may block.
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

    /// Whether the log records access entries, which have the level `info`.
    public var hasAccess: Bool { level <= .info }

    /// Logs a request. Does nothing if `hasAccess` is false.
    public func append(_ access: AccessEntry) {
        guard hasAccess else { return }
        append(.info, "waypost.access", .access(access))
    }

    func append(_ level: Logger.Level, _ label: String, _ content: LogEntry.Content) {
        let isTaken = buffer.append(
            LogEntry(time: now(), level: level, label: label, content: content))
        if !isTaken { dropped.increment() }
    }

    /// Closes the log, and waits until all earlier entries are written, but at most one second,
    /// because the output may be blocked. Entries that are added later are lost. The method blocks
    /// the calling thread and may be called only once.
    public func close() {
        closing.signal()
        buffer.close()
        _ = isWritten.wait(timeout: .now() + .seconds(1))
    }
}
