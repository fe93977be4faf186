import Navigation
import Sessions

/// Checks the log of one session: each row and the order of the rows.
struct LogCheck {
    /// Reads the complete log of a session. The last row is the tail.
    static func rows(_ id: SessionID) -> StoreStatement { log(id, id) }

    private static let log = SQLText(
        """
        SELECT first, has_state, last, first_event, records FROM log WHERE session = ?uuid
        UNION ALL
        SELECT tail_first, tail_has_state, revision, tail_event, tail FROM session WHERE id = ?uuid
        ORDER BY 1, 2
        """)

    /// Checks the rows that the statement `rows` has returned.
    static func check(_ rows: [any SQLRow]) throws(DamagedValue) {
        var check = LogCheck()
        for row in rows {
            try check.check(
                LogRow(
                    first: try row.integer("first"), last: try row.integer("last"),
                    firstEvent: try row.integer("first_event"),
                    hasState: try row.flag("has_state"), records: try row.bytes("records")))
        }
        guard let tail = rows.last else { return }
        try check.end(at: try tail.integer("last"))
    }

    private var state: LogState?
    private var revision = 0
    private var nextEvent: Int?

    /// Checks the next row.
    /// - Throws: `DamagedValue` if the row cannot be read, or does not continue the rows before it.
    private mutating func check(_ row: LogRow) throws(DamagedValue) {
        guard let records = LogRecord.decode(row.records) else {
            throw DamagedValue(column: "records", found: "no records")
        }
        for (index, record) in records.enumerated() {
            let isState = if case .state = record { true } else { false }
            guard index > 0 || isState == row.hasState else {
                throw DamagedValue(column: "has_state", found: "another value than the records")
            }
            try check(record)
            if index == 0, revision != row.first {
                throw DamagedValue(column: "first", found: "another revision than the records")
            }
        }
        guard !records.isEmpty || !row.hasState else {
            throw DamagedValue(column: "records", found: "no records")
        }
        guard records.isEmpty || revision == row.last else {
            throw DamagedValue(column: "last", found: "another revision than the records")
        }
        if let nextEvent, nextEvent < row.firstEvent {
            throw DamagedValue(column: "first_event", found: "a later event than the records")
        }
    }

    private mutating func check(_ record: LogRecord) throws(DamagedValue) {
        switch record {
        case .state(let complete):
            // Changes before the state may be missing, but not if it has the same revision.
            guard revision <= complete.revision,
                state?.revision != complete.revision || state?.window == complete.window
            else {
                throw DamagedValue(
                    column: "records", found: "another state than the changes lead to")
            }
            (state, revision) = (complete, complete.revision)
        case .entry(let entry):
            guard revision < entry.revision else {
                throw DamagedValue(column: "records", found: "changes in a wrong order")
            }
            if entry.effect == nil {
                // A fresh root or a change that an earlier version recorded; a state follows.
                state = nil
            } else if let known = state {
                guard let next = known.applying(entry) else {
                    throw DamagedValue(
                        column: "records", found: "a change that does not fit the state before it")
                }
                state = next
            }
            revision = entry.revision
            try check(entry.events)
        case .events(let events):
            revision = max(revision, events.first?.revision ?? 0)
            try check(events)
        }
    }

    private mutating func check(_ events: [LifecycleEvent]) throws(DamagedValue) {
        guard let first = events.first, let last = events.last else { return }
        guard nextEvent == nil || nextEvent == first.seq else {
            throw DamagedValue(column: "records", found: "a gap in the events")
        }
        nextEvent = last.seq + 1
    }

    /// Checks the end of the log.
    /// - Parameter revision: the revision of the session's present state.
    private func end(at revision: Int) throws(DamagedValue) {
        guard let state, state.revision == revision, state.window.isSound else {
            throw DamagedValue(column: "tail", found: "no state of revision \(revision)")
        }
    }
}
