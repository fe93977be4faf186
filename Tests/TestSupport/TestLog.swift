import JSON
import Logging
import Synchronization
import WaypostCore

/// A log that keeps what is written to it.
public final class TestLog: Sendable {
    /// The bytes that a log has written.
    public final class Output: Sendable {
        private let bytes = Mutex<[UInt8]>([])

        public init() {}

        public func write(_ more: [UInt8]) { bytes.withLock { $0 += more } }

        public var text: String { String(decoding: bytes.withLock(\.self), as: UTF8.self) }
        public var lines: [String] { text.split(separator: "\n").map(String.init) }
    }

    public let log: Log
    private let output: Output
    private let isOpen = Mutex(true)

    public init(
        _ format: LogFormat = .json, level: Logger.Level = .info,
        now: @escaping @Sendable () -> Int = { 0 }
    ) {
        let output = Output()
        log = Log(format, level: level, now: now, write: output.write)
        self.output = output
    }

    /// Closes the log and returns all that was written.
    public func text() -> String { closed().text }

    /// Closes the log and returns its lines.
    public func lines() -> [String] { closed().lines }

    /// Closes the log, which has the format JSON, and returns its entries.
    public func entries() throws -> [JSONValue] {
        try lines().map { try JSONValue(parsing: Array($0.utf8), maximumDepth: 2) }
    }

    private func closed() -> Output {
        let wasOpen = isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
        if wasOpen { log.close() }
        return output
    }
}
