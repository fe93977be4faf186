import Dispatch
import Logging
import Synchronization

/// Entries on their way to the thread that writes them. Whoever brings one never waits for the
/// writer: when the buffer is full, the entry is dropped.
final class LogBuffer: Sendable {
    private struct State {
        var entries: [LogEntry] = []
        var dropped = 0
        var isClosed = false
    }

    private let capacity: Int
    private let state = Mutex(State())
    /// Signalled when the first entry comes into an empty buffer, and at the end.
    private let wake = DispatchSemaphore(value: 0)

    init(capacity: Int) {
        self.capacity = capacity
    }

    /// - Returns: false if the entry is dropped.
    func append(_ entry: LogEntry) -> Bool {
        let (isTaken, isFirst) = state.withLock { state in
            guard !state.isClosed, state.entries.count < capacity else {
                state.dropped += 1
                return (false, false)
            }
            state.entries.append(entry)
            return (true, state.entries.count == 1)
        }
        if isFirst { wake.signal() }
        return isTaken
    }

    /// Blocks until there are entries.
    /// - Parameter entries: is given all that came. Its memory is used for what comes next.
    /// - Returns: how many were dropped since the last time; nil at the end.
    func takeAll(into entries: inout [LogEntry]) -> Int? {
        entries.removeAll(keepingCapacity: true)
        wake.wait()
        return state.withLock { state in
            guard !state.entries.isEmpty else { return nil }
            swap(&state.entries, &entries)
            defer { state.dropped = 0 }
            return state.dropped
        }
    }

    /// Drops all entries from now on.
    func close() {
        state.withLock { $0.isClosed = true }
        wake.signal()
    }
}

/// Brings what swift-log is given to the log.
struct LogWriter: LogHandler {
    let log: Log
    let label: String
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let provided = metadataProvider?.get() ?? [:]
        let all = metadata.merging(provided) { $1 }.merging(event.metadata ?? [:]) { $1 }
        var members = all.sorted { $0.key < $1.key }.map { (name: $0.key, value: "\($0.value)") }
        if let error = event.error { members.append(("error", "\(error)")) }
        log.append(event.level, label, .message(event.message.description, members))
    }
}
