import NavigationRules
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

    /// Throws `DamagedValue` for a column if a condition is not met.
    private func require(
        _ isMet: Bool, _ column: String = "records", butFound found: @autoclosure () -> String
    ) throws(DamagedValue) {
        if !isMet { throw DamagedValue(column: column, found: found()) }
    }

    /// Checks the next row.
    /// - Throws: `DamagedValue` if the row cannot be read, or does not continue the rows before it.
    private mutating func check(_ row: LogRow) throws(DamagedValue) {
        guard let records = LogRecord.decode(row.records) else {
            throw DamagedValue(column: "records", found: "no records")
        }
        for (index, record) in records.enumerated() {
            let isState = if case .state = record { true } else { false }
            try require(
                index > 0 || isState == row.hasState, "has_state",
                butFound: "another value than the records")
            try check(record)
            try require(
                index > 0 || revision == row.first, "first",
                butFound: "another revision than the records")
        }
        try require(!records.isEmpty || !row.hasState, butFound: "no records")
        try require(
            records.isEmpty || revision == row.last, "last",
            butFound: "another revision than the records")
        try require(
            nextEvent.map { $0 >= row.firstEvent } ?? true, "first_event",
            butFound: "a later event than the records")
    }

    private mutating func check(_ record: LogRecord) throws(DamagedValue) {
        switch record {
        case .state(let complete):
            // Changes before the state may be missing, but not if it has the same revision.
            try require(
                revision <= complete.revision
                    && (state?.revision != complete.revision
                        || state?.window.isSame(as: complete.window) == true),
                butFound: "another state than the changes lead to")
            (state, revision) = (complete, complete.revision)
        case .entry(let entry):
            try require(revision < entry.revision, butFound: "changes in a wrong order")
            // An entry without an effect is a fresh root, or a change that an earlier version
            // recorded; a state follows.
            let next = entry.effect == nil ? nil : state?.applying(entry)
            try require(
                next != nil || entry.effect == nil || state == nil,
                butFound: "a change that does not fit the state before it")
            (state, revision) = (next, entry.revision)
            try check(entry.events)
        case .events(let events):
            revision = max(revision, events.first?.revision ?? 0)
            try check(events)
        }
    }

    private mutating func check(_ events: [LifecycleEvent]) throws(DamagedValue) {
        guard let first = events.first, let last = events.last else { return }
        try require(nextEvent == nil || nextEvent == first.seq, butFound: "a gap in the events")
        nextEvent = last.seq + 1
    }

    /// Checks the end of the log.
    /// - Parameter revision: the revision of the session's present state.
    private func end(at revision: Int) throws(DamagedValue) {
        try require(
            state?.revision == revision && state?.window.isSound == true, "tail",
            butFound: "no state of revision \(revision)")
    }
}
