import Navigation
import SQLStore
import Sessions

/// The events of a session that one query has returned. The older events come from the table
/// `event_group`, and the newest events come from the session's row (columns `tail_first` and
/// `tail`).
struct StoredEvents {
    private let lastEvent: Int
    private let retention: Int
    private var groups: [(first: Int, events: [LifecycleEvent])] = []

    /// Decodes the result of the query.
    /// - Parameters:
    ///   - rows: the rows that `ReadStatements.events` returned.
    ///   - retention: the number of newest events that pages may contain. Older events are left
    ///     out.
    /// - Returns: nil if there are no rows, because the session does not exist.
    /// - Throws: `DamagedValue` if a column has an invalid value.
    init?(_ rows: Rows, retention: Int) throws {
        guard let newest = rows.first else { return nil }
        lastEvent = try newest.integer("last_event")
        self.retention = retention
        for row in rows {
            guard let first = try row.integerIfPresent("first") else { continue }
            try add(first, try row.bytes("events"), until: try row.integer("last"))
        }
        let tail = try newest.bytes("tail")
        // If the limit of the query has cut off groups, some events are missing between the read
        // groups and the newest events. The newest events are then left out.
        let first = try newest.integer("tail_first")
        if groups.isEmpty || nextEvent == first, !tail.isEmpty {
            try add(first, tail, until: lastEvent)
        }
    }

    private var nextEvent: Int {
        groups.last.map { $0.first + $0.events.count } ?? 1
    }

    private mutating func add(_ first: Int, _ bytes: [UInt8], until last: Int) throws {
        guard let events = EventLog.decode(bytes, first: first) else {
            throw DamagedValue(column: "events", found: "no events")
        }
        guard events.last?.seq == last else {
            throw DamagedValue(column: "last", found: "another number than that of its last event")
        }
        groups.append((first, events))
    }

    /// Returns a page of the events, in order.
    /// - Parameters:
    ///   - after: the number (`seq`) of the event before the page.
    ///   - limit: the maximum number of events in the page.
    func page(after: Int, limit: Int) -> EventPage {
        let kept = max(lastEvent - retention + 1, 1)
        let events = groups.lazy.flatMap(\.events)
        var oldest = kept
        // Earlier events may have been dropped at a time when fewer were kept.
        if let first = groups.first?.first, after < first - 1 { oldest = max(kept, first) }
        let page = events.filter { $0.seq > after && $0.seq >= kept }.prefix(max(limit, 0))
        return EventPage(events: Array(page), oldest: oldest)
    }
}
