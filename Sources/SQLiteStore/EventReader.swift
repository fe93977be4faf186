import Foundation
import GRDB
import Navigation
import SQLStore
import Sessions
import WaypostCore

/// Reads pages of a session's lifecycle events. Only the store's database thread uses this type.
struct EventReader {
    let session: SessionID
    /// The maximum number of events that can be read, counted back from the session's newest event.
    /// The store may still hold older events.
    let retention: Int
    let db: Database

    /// Reads a page of events, in order.
    /// - Parameters:
    ///   - after: the number (`seq`) of the event before the page.
    ///   - limit: the maximum number of events in the page.
    /// - Returns: an empty page if there are no later events, or if the session does not exist.
    /// - Throws: `StorageError`, which names the session, if a row that the page needs is damaged;
    ///   SQLite's errors unchanged.
    func page(after: Int, limit: Int) throws -> EventPage {
        try readStored("log of session \(session.prefix)") {
            guard let newest = try newest() else { return EventPage(events: [], oldest: 1) }
            var oldest = max(newest.last - retention + 1, 1)
            guard after < newest.last else { return EventPage(events: [], oldest: oldest) }
            var wanted = max(after + 1, oldest)
            var groups = try groups(from: wanted, count: limit, newest)
            if let first = groups.first?.first?.seq, first > wanted {
                // The earlier events were removed at a time when the retention was shorter.
                oldest = first
                wanted = first
                groups = try self.groups(from: wanted, count: limit, newest)
            }
            let events = groups.joined().drop { $0.seq < wanted }
            return EventPage(events: Array(events.prefix(max(limit, 0))), oldest: oldest)
        }
    }

    private typealias Newest = (number: Int, last: Int)

    /// Reads the row number of the session's newest event group, and the number of the last event
    /// in this group. A group is a row with the events of one change.
    /// - Returns: nil if the session does not exist or has no events.
    private func newest() throws -> Newest? {
        let statement = try db.cachedStatement(
            sql: """
                SELECT session.last_group, newest.number, newest.last
                FROM session LEFT JOIN event_group AS newest
                  ON newest.number = session.last_group AND newest.session = session.id
                WHERE session.id = ?
                """)
        guard let row = try GRDB.Row.fetchOne(statement, arguments: [session.data]),
            try row.integerIfPresent("last_group") != nil
        else { return nil }
        return (number: try row.integer("number"), last: try row.integer("last"))
    }

    /// Reads event groups. A group is a row with the events of one change.
    /// - Parameters:
    ///   - wanted: the number of the first event that is needed.
    ///   - count: the number of events that are needed.
    ///   - newest: the session's newest group.
    /// - Returns: the events of each group, oldest group first. The first group holds event
    ///   `wanted`. The last group holds event `wanted + count - 1`, or is the newest group. If
    ///   older groups are missing, the result begins with a later group.
    private func groups(
        from wanted: Int, count: Int, _ newest: Newest
    ) throws -> [[LifecycleEvent]] {
        let (sum, isOver) = wanted.addingReportingOverflow(max(count, 1) - 1)
        let last = isOver ? newest.last : min(sum, newest.last)
        guard
            let end = try EventChain.group(
                holding: last, from: newest.number, of: session.data, db)
        else { return [] }
        return try EventChain.groups(back: wanted, from: end, of: session.data, db).map(events)
    }

    private func events(ofGroup number: Int) throws -> [LifecycleEvent] {
        let statement = try db.cachedStatement(
            sql: "SELECT first, last, events FROM event_group WHERE number = ?")
        guard let row = try GRDB.Row.fetchOne(statement, arguments: [number]) else { return [] }
        return try EventBatch.events(row)
    }
}

extension EventBatch {
    /// Decodes the events of a row.
    /// - Parameter row: a row with the columns `first`, `last` and `events`.
    /// - Throws: `DamagedValue` if a column has an invalid value.
    static func events(_ row: GRDB.Row) throws(DamagedValue) -> [LifecycleEvent] {
        let first = try row.integer("first")
        guard let events = events(first: first, content: try row.bytes("events")) else {
            throw DamagedValue(column: "events", found: "no events")
        }
        guard events.last?.seq == (try row.integer("last")) else {
            throw DamagedValue(column: "last", found: "another number than that of its last event")
        }
        return events
    }
}
