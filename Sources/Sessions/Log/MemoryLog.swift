/// A session's log in a `MemoryStore`, in the rows in which an SQL store keeps it. The last row is
/// the tail.
struct MemoryLog: Sendable {
    private var rows: [LogRow]

    /// - Parameter beginning: the first records; nil for none.
    init(_ beginning: LogWrite?) { rows = beginning.map { [$0.tail] } ?? [] }

    mutating func append(_ write: LogWrite) {
        if write.movesTail || rows.isEmpty {
            rows += write.rows
            rows.append(write.tail)
            // Rows before the newest complete state that `keptFrom` needs are dropped.
            let state = rows.lastIndex { $0.hasState && $0.first <= write.keptFrom }
            if let state { rows.removeFirst(state) }
        } else {
            rows[rows.count - 1].append(write.tail)
        }
    }

    /// The end of the log. The next entry begins a new tail with a complete state.
    var end: LogEnd { LogEnd(tailSize: rows.last?.records.count ?? 0, stateSize: nil) }

    /// Returns the rows from which the changes after revision `first` can be rebuilt. They begin with
    /// the last complete state at or before `first` or, if there is none, with the oldest row.
    /// - Parameter last: the last revision to return; the last row may also hold later ones.
    func part(from first: Int, through last: Int) -> LogPart {
        let start = rows.lastIndex { $0.hasState && $0.first <= first } ?? 0
        return LogPart(
            rows: rows[start...].prefix { $0.first <= last }.map(\.records),
            oldest: rows.first(where: \.hasState)?.first)
    }

    /// Returns a page of events.
    func events(after: Int, limit: Int) throws(DamagedLog) -> EventPage {
        let oldest = rows.first?.firstEvent ?? 1
        let after = max(after, oldest - 1)
        let start = rows.lastIndex { $0.firstEvent - 1 <= after } ?? 0
        let (end, isOver) = after.addingReportingOverflow(limit)
        let found = rows[start...].prefix { isOver || $0.firstEvent <= end }
        return try EventPage(
            rows: found.map(\.records), oldest: oldest, after: after, limit: limit)
    }
}
