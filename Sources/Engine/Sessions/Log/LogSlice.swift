import NavigationRules
import WaypostCore

/// Consecutive records of a session's log.
public struct LogSlice: Sendable, Equatable {
    /// The encoded records, in order. Each element is one row of the log, as the store keeps it.
    package let rows: [[UInt8]]
    /// The revision of the oldest complete state in the whole log; nil if there is none.
    package let oldest: Int?

    package init(rows: [[UInt8]], oldest: Int?) {
        self.rows = rows
        self.oldest = oldest
    }

    public static let none = LogSlice(rows: [], oldest: nil)
}

/// A page of a session's lifecycle events.
public struct EventPage: Sendable, Equatable {
    public let events: [LifecycleEvent]
    /// The number (`seq`) of the oldest stored event; 1 if no event has been dropped.
    public let oldest: Int

    public init(events: [LifecycleEvent], oldest: Int) {
        self.events = events
        self.oldest = oldest
    }

    /// Reads a page of events from rows of a log.
    /// - Parameters:
    ///   - rows: the rows that hold the events of the page. They may hold others, too.
    ///   - oldest: the number of the oldest event in the log or, if it has none, of the next event.
    ///   - after: the page begins with the event after this number.
    /// - Throws: `DamagedLog` if the bytes of a row are damaged, or if events are missing.
    package init(
        rows: [[UInt8]], oldest: Int, after: Int, limit: Int
    ) throws(DamagedLog) {
        var events: [LifecycleEvent] = []
        for row in rows where events.count < limit {
            for line in LogLine.lines(of: row) {
                guard let found = line.events() else { throw DamagedLog() }
                events += found.drop { $0.seq <= after }
            }
        }
        guard zip(events, events.dropFirst()).allSatisfy({ $0.seq + 1 == $1.seq }) else {
            throw DamagedLog()
        }
        self.init(events: Array(events.prefix(limit)), oldest: oldest)
    }
}

/// The error for a log whose bytes are not what Waypost has written.
package struct DamagedLog: Error {
    package init() {}
}

extension LogState {
    /// Reads the newest state of a session from the end of its log.
    /// - Parameter rows: the rows from the newest complete state on; the last one is the tail.
    /// - Returns: the state, and what the session must know to continue the log.
    /// - Throws: `DamagedLog` if no row has a complete state, or if an effect does
    ///   not fit the state before it.
    package static func newest(
        in rows: [[UInt8]]
    ) throws(DamagedLog) -> (state: LogState, end: LogEnd) {
        var state: LogState?
        var stateSize = 0
        var size = 0
        for row in rows {
            size += row.count
            for line in LogLine.lines(of: row) {
                guard let record = line.record(withEvents: false) else { throw DamagedLog() }
                switch record {
                case .state(let complete):
                    state = complete
                    stateSize = LogEnd.stateSize(in: row)
                    size = row.count
                case .entry(let entry):
                    // Changes before the complete state may come first.
                    guard let known = state else { continue }
                    guard let next = known.applying(entry) else { throw DamagedLog() }
                    state = next
                case .events: break
                }
            }
        }
        guard let state, state.window.isSound, let tail = rows.last else { throw DamagedLog() }
        let end = LogEnd(
            tailSize: tail.count, stateSize: stateSize, entriesSize: size - stateSize)
        return (state, end)
    }
}
