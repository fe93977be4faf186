import NavigationRules
import WaypostCore

/// Consecutive records of a session's log, as a store keeps them together.
///
/// The newest records are the log's tail, which an SQL store keeps in the row of the session. A
/// change appends its entry to the tail. Before the tail exceeds `tailLimit`, it becomes a row of the
/// log, and a new tail begins.
public struct LogRow: Sendable, Equatable {
    /// The size, in bytes, up to which a tail can grow. A single larger entry makes a larger tail.
    package static let tailLimit = 1024
    /// The maximum size of a complete state, in bytes, that can begin a tail with further records.
    /// Each change writes the tail again, so that a larger state is a row of its own.
    static let stateLimit = 512

    /// The revisions of the first and of the last record.
    package let first: Int
    package private(set) var last: Int
    /// The number (`seq`) of the first event in the row or, if the row has none, of the next event.
    package let firstEvent: Int
    /// Whether the first record is a complete state. No other record is.
    package let hasState: Bool
    /// The encoded records, see `LogRecord`.
    package private(set) var records: [UInt8]

    package init(first: Int, last: Int, firstEvent: Int, hasState: Bool, records: [UInt8]) {
        self.first = first
        self.last = last
        self.firstEvent = firstEvent
        self.hasState = hasState
        self.records = records
    }

    /// The state of a session in a row of its own.
    package init(_ state: LogState) {
        var records: [UInt8] = []
        LogRecord.state(state).write(to: &records)
        self.init(
            first: state.revision, last: state.revision, firstEvent: state.window.lastEvent + 1,
            hasState: true, records: records)
    }

    /// A row with the records of one change, none of which is a complete state.
    /// - Parameter firstEvent: the number of the first event in the records or, if they have none, of
    ///   the next event.
    package init(_ records: [LogRecord], revision: Int, firstEvent: Int) {
        var bytes: [UInt8] = []
        for record in records { record.write(to: &bytes) }
        self.init(
            first: revision, last: revision, firstEvent: firstEvent, hasState: false, records: bytes
        )
    }

    /// A row with one entry.
    /// - Parameter nextEvent: the number of the next event, if the entry has no events.
    init(_ entry: LogEntry, nextEvent: Int) {
        var records: [UInt8] = []
        entry.write(to: &records)
        self.init(
            first: entry.revision, last: entry.revision,
            firstEvent: entry.events.first?.seq ?? nextEvent, hasState: false, records: records)
    }

    /// Appends the records that follow in the log.
    package mutating func append(_ next: LogRow) {
        records += next.records
        last = next.last
    }

    /// Gives up the memory that further records could take.
    mutating func trim() {
        records = records.withUnsafeBufferPointer { Array($0) }
    }
}

/// The records that one commit adds to a session's log. The type is a class so that `WriteBatch`,
/// which is passed through several functions, holds only a reference.
public final class LogWrite: Sendable {
    /// Whether the log's tail becomes a row of the log before anything is added. Otherwise the
    /// records of `tail` are appended to the present tail.
    package let movesTail: Bool
    /// The rows that follow in the log.
    package let rows: [LogRow]
    /// The new tail, or the records to append to the present tail.
    package let tail: LogRow
    /// The lowest revision to keep. If the tail becomes a row, the store deletes the rows that are
    /// needed for lower revisions alone.
    package let keptFrom: Int

    package init(movesTail: Bool, rows: [LogRow] = [], tail: LogRow, keptFrom: Int = 0) {
        self.movesTail = movesTail
        self.rows = rows
        self.tail = tail
        self.keptFrom = keptFrom
    }
}

extension LogWrite {
    /// The end of the log after this write, if the new tail begins the log or begins with a complete
    /// state.
    var end: LogEnd { LogEnd(tail) }

    /// The begin of a new session's log.
    /// - Parameters:
    ///   - events: the events of the window's first display.
    ///   - hasState: whether the log begins with the complete state. Otherwise the first change adds
    ///     it.
    convenience init(
        beginningWith session: SessionState, _ events: [LifecycleEvent], hasState: Bool
    ) {
        let revision = session.window.revision
        var records = hasState ? LogRow(LogState(session)).records : []
        if !events.isEmpty { LogRecord.events(events).write(to: &records) }
        self.init(
            movesTail: false,
            tail: LogRow(
                first: revision, last: revision,
                firstEvent: events.first?.seq ?? session.window.lastEvent + 1, hasState: hasState,
                records: records))
    }

    /// The change that starts a window again at its root, with the complete state after it, and with
    /// the state before it if the log has none.
    convenience init(
        freshRoot session: SessionState, after stored: StoredSession, _ events: [LifecycleEvent],
        at time: Timestamp, keptFrom: Int
    ) {
        let entry = LogEntry(
            revision: session.window.revision, time: time, action: .freshRoot, events: events)
        let row = LogRow(entry, nextEvent: session.window.lastEvent + 1)
        let before = stored.logEnd.isStateDue ? [LogRow(LogState(stored))] : []
        self.init(
            movesTail: true, rows: before + [row], tail: LogRow(LogState(session)),
            keptFrom: keptFrom)
    }

    /// The log of a session whose history was removed: its present state alone.
    convenience init(replacementFor stored: StoredSession) {
        self.init(movesTail: false, tail: LogRow(LogState(stored)))
    }
}

extension LogState {
    fileprivate init(_ stored: StoredSession) {
        self.init(
            window: stored.window, expiresAt: stored.expiresAt, credential: stored.credential,
            credentialRefusal: stored.credentialRefusal)
    }
}

/// What a session knows about the end of its log, to decide where the next entry goes.
public struct LogEnd: Sendable, Equatable {
    /// The size of the tail, in bytes.
    private(set) var tailSize: Int32
    /// The number of bytes that entries may still take before the next complete state.
    private(set) var room: Int32

    /// - Parameters:
    ///   - tailSize: the size of the tail, in bytes.
    ///   - stateSize: the size of the newest complete state, in bytes; nil if there is none.
    ///   - entriesSize: the size of the records after that state, in bytes.
    package init(tailSize: Int, stateSize: Int?, entriesSize: Int = 0) {
        self.tailSize = Int32(clamping: tailSize)
        room = stateSize.map { Int32(clamping: Self.room(after: $0) - entriesSize) } ?? 0
    }

    /// The end of a log whose tail begins it, or begins with a complete state.
    init(_ tail: LogRow) {
        let size = tail.records.count
        let stateSize = tail.hasState ? Self.stateSize(in: tail.records) : nil
        self.init(tailSize: size, stateSize: stateSize, entriesSize: size - (stateSize ?? 0))
    }

    /// Returns the size of the complete state with which a row begins, in bytes.
    static func stateSize(in records: [UInt8]) -> Int {
        records.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? records.count
    }

    /// Returns the number of bytes of entries after which a complete state is due. Complete states
    /// thus take no more space than entries, and a read of the newest state decodes a bounded
    /// number of entries.
    fileprivate static func room(after stateSize: Int) -> Int {
        max(stateSize, LogRow.tailLimit)
    }

    fileprivate var isStateDue: Bool { room <= 0 }

    fileprivate mutating func noteState(_ size: Int) {
        room = Int32(clamping: Self.room(after: size))
    }

    fileprivate mutating func noteEntry(_ size: Int) { room -= Int32(clamping: min(size, 1 << 30)) }

    fileprivate mutating func noteTail(_ size: Int) { tailSize = Int32(clamping: size) }
}

/// Collects the records of changes that are not stored yet.
struct NewRecords: Sendable {
    private(set) var end: LogEnd
    private var movesTail = false
    private var rows: [LogRow] = []
    private var tail: LogRow?

    init(_ end: LogEnd) { self.end = end }

    /// Adds the entry of a change. If a complete state is due, the method first adds the state
    /// before the change.
    mutating func add(_ entry: LogEntry, before session: SessionState) {
        var row = LogRow(entry, nextEvent: session.window.lastEvent + 1)
        let size = row.records.count
        if end.isStateDue {
            let state = LogRow(LogState(session))
            end.noteState(state.records.count)
            beginTail()
            if state.records.count <= LogRow.stateLimit {
                let entry = row
                row = state
                row.append(entry)
            } else {
                rows.append(state)
            }
            tail = row
            end.noteTail(row.records.count)
        } else if Int(end.tailSize) + size > LogRow.tailLimit {
            beginTail()
            tail = row
            end.noteTail(size)
        } else {
            if tail == nil {
                tail = row
            } else {
                tail?.append(row)
            }
            end.noteTail(Int(end.tailSize) + size)
        }
        end.noteEntry(size)
    }

    /// Ends the present tail. The records that were added to the stored tail so far become
    /// a row of their own behind it.
    private mutating func beginTail() {
        movesTail = true
        if let tail { rows.append(tail) }
        tail = nil
    }

    /// Returns the records for a commit; nil if there are none.
    /// - Parameter keptFrom: the lowest revision to keep.
    func write(keptFrom: Int) -> LogWrite? {
        tail.map { LogWrite(movesTail: movesTail, rows: rows, tail: $0, keptFrom: keptFrom) }
    }
}
