/// A session's log in a `MemoryStore`, in the rows in which an SQL store keeps it. The last row is
/// the tail.
struct MemoryLog: Sendable {
    /// The events of a session that has not changed yet. A row would take more memory, and a service
    /// may have many such sessions.
    private var beginning: [UInt8] = []
    private var laterRows: [LogRow] = []

    private var rows: [LogRow] {
        guard laterRows.isEmpty, !beginning.isEmpty else { return laterRows }
        return [LogRow(first: 1, last: 1, firstEvent: 1, hasState: false, records: beginning)]
    }

    /// - Parameter beginning: the first records; nil for none.
    init(_ beginning: LogWrite?) {
        guard let tail = beginning?.tail else { return }
        if tail.first == 1, tail.firstEvent == 1, !tail.hasState {
            self.beginning = tail.records
        } else {
            laterRows = [tail]
        }
    }

    mutating func append(_ write: LogWrite) {
        if !beginning.isEmpty {
            laterRows = rows
            beginning = []
        }
        if write.movesTail || laterRows.isEmpty {
            if let tail = laterRows.indices.last { laterRows[tail].trim() }
            laterRows += write.rows
            laterRows.append(write.tail)
            removeRows(neededBefore: write.keptFrom)
        } else {
            laterRows[laterRows.count - 1].append(write.tail)
        }
    }

    /// Removes the rows before the newest complete state from which `revision` can be rebuilt.
    private mutating func removeRows(neededBefore revision: Int) {
        // Most logs are shorter, and the rows need not be searched.
        guard laterRows.count > 1, laterRows[1].first <= revision else { return }
        let state = laterRows.prefix { $0.first <= revision }.lastIndex(where: \.hasState)
        if let state { laterRows.removeFirst(state) }
    }

    /// The end of the log. The next entry begins a new tail with a complete state.
    var end: LogEnd { LogEnd(tailSize: rows.last?.records.count ?? 0, stateSize: nil) }

    /// Returns the rows from which the changes after revision `first` can be rebuilt. They begin with
    /// the last complete state at or before `first` or, if there is none, with the oldest row.
    /// - Parameter last: the last revision to return; the last row may also hold later ones.
    func slice(from first: Int, through last: Int) -> LogSlice {
        let rows = rows
        let start = rows.lastIndex { $0.hasState && $0.first <= first } ?? 0
        return LogSlice(
            rows: rows[start...].prefix { $0.first <= last }.map(\.records),
            oldest: rows.first(where: \.hasState)?.first)
    }

    /// Returns a page of events.
    func events(after: Int, limit: Int) throws(DamagedLog) -> EventPage {
        let rows = rows
        let oldest = rows.first?.firstEvent ?? 1
        let after = max(after, oldest - 1)
        let start = rows.lastIndex { $0.firstEvent - 1 <= after } ?? 0
        let (end, isOver) = after.addingReportingOverflow(limit)
        let found = rows[start...].prefix { isOver || $0.firstEvent <= end }
        return try EventPage(
            rows: found.map(\.records), oldest: oldest, after: after, limit: limit)
    }
}
