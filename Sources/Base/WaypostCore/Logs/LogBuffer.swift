import Dispatch
import Logging
import Synchronization

/// The entries that wait to be written. `append` never waits: if the buffer is full, `append` drops
/// the entry.
final class LogBuffer: Sendable {
    private struct State {
        var entries: [LogEntry] = []
        var dropped = 0
        var isClosed = false
    }

    private let capacity: Int
    private let state = Mutex(State())
    /// Wakes the writing thread. The semaphore is signalled for the first entry in an empty buffer
    /// and by `close()`.
    private let wake = DispatchSemaphore(value: 0)

    init(capacity: Int) {
        self.capacity = capacity
    }

    /// Adds an entry.
    /// - Returns: false if the entry was dropped because the buffer is full or closed.
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

    /// Waits until the buffer has entries or is closed, and removes all entries from the buffer.
    /// - Parameter entries: receives the entries. The memory of the array is reused for later
    ///   entries.
    /// - Returns: the number of entries dropped since the last call; nil if the buffer is closed
    ///   and empty.
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

    /// Closes the buffer, which then drops all new entries.
    func close() {
        state.withLock { $0.isClosed = true }
        wake.signal()
    }
}

/// A swift-log handler that writes to a `Log`.
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
        var members = all.sorted { $0.key < $1.key }.map {
            (name: $0.key, value: LogEntry.Value($0.value))
        }
        if let error = event.error { members.append(("error", .text("\(error)"))) }
        log.append(event.level, label, .message(event.message.description, members))
    }
}
