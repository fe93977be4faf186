import GRDB
import Sessions

/// Inserts, updates and deletes sessions in one transaction. The writer looks up the most frequent
/// statements only once per transaction, because the lookup is slow: GRDB finds a prepared
/// statement by its whole text. The cache of row locations is passed on from one transaction to the
/// next.
struct SessionWriter {
    /// The location of a session's row: its number, and the values of the row that the next change
    /// needs.
    struct RowLocation {
        /// The number of the session's row.
        let number: Int
        /// The number of the session's newest event group, a row with the events of one change; nil
        /// if the session has no events.
        var lastGroup: Int? {
            get { newestGroup == 0 ? nil : newestGroup }
            set { newestGroup = newValue ?? 0 }
        }
        /// The stored form of `lastGroup`; 0 stands for nil. An optional would take twice the
        /// memory, and the cache holds many locations.
        private var newestGroup: Int
        /// The event groups to which the session's next jumps lead. A jump is a link to a much
        /// earlier group, see `EventChain`.
        var anchors = EventAnchors()
        /// The size of the journal column in the session's row, in bytes. The column holds the
        /// newest part of the history of the session's changes.
        var journalSize: Int

        init(number: Int, lastGroup: Int?, journalSize: Int) {
            self.number = number
            self.journalSize = journalSize
            newestGroup = lastGroup ?? 0
        }
    }

    /// The maximum number of cached locations. That many locations take about 16 MB; the cache is
    /// then emptied.
    private static let locationsLimit = 1 << 17

    /// A cache of the row locations of recently changed sessions. A location may be out of date:
    /// the purge may have removed the row, and another row may have its number. Each use of a
    /// location therefore also compares the session's id.
    private(set) var locations: [SessionID: RowLocation]

    private let db: Database
    private let insertEvents: Statement
    private let updateSession: Statement

    /// - Parameter locations: the cached locations that the previous transaction left.
    init(_ db: Database, locations: consuming [SessionID: RowLocation]) throws {
        self.locations = locations
        self.db = db
        insertEvents = try db.cachedStatement(
            sql: """
                INSERT INTO event_group (session, previous, jump, first, last, events)
                VALUES (?, ?, ?, ?, ?, ?)
                """)
        // The token's hash and the creation time never change. This statement assigns no column
        // that has an index: SQLite would write a page of the index even if the value stays the
        // same.
        updateSession = try db.cachedStatement(sql: JournalTail.appending.keepingCredential)
    }

    func insert(_ row: SessionRow) throws {
        let group = try row.events.map { try insert($0, of: row.id, behind: nil, jump: nil) }
        try db.cachedStatement(
            sql: """
                INSERT INTO session (id, token_hash, created_at, expires_at, revision, window,
                  credential, credential_refusal, last_group, summary, name)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).run(
            .blob(row.id.bytes), .blob(row.tokenHash.bytes),
            .integer(row.createdAt.milliseconds), .integer(row.expiresAt.milliseconds),
            .integer(row.revision), .blob(row.window), StoredValue(row.credential?.bytes),
            StoredValue(row.credentialRefusal?.rawValue), StoredValue(group),
            StoredValue(row.summary), StoredValue(row.name))
    }

    /// Replaces a session's row if the row has the expected version.
    /// - Parameter version: the expected version.
    /// - Returns: nil if the row was replaced; otherwise the reason why not.
    mutating func update(_ row: SessionRow, replacing version: RowVersion) throws -> CommitError? {
        guard var location = try location(of: row.id) else { return .sessionNotFound }
        let tail = row.journal.map { JournalTail($0, behind: location.journalSize) }
        if tail?.movesOut == true {
            // The version is checked before the journal is moved: another version of the row has
            // another journal.
            if let refusal = try refusal(of: row.id, version) { return refusal }
            try JournalTail.moveOut(of: location.number, db)
        }
        let previous = location.lastGroup
        if let group = row.events { try append(group, of: row.id, to: &location) }
        try update(row, tail, at: location, replacing: version)
        // No row was replaced if the row has another version, or if the purge has removed the row
        // since its location was cached.
        guard db.changesCount > 0 else {
            locations[row.id] = nil
            if let group = location.lastGroup, group != previous {
                try db.cachedStatement(sql: "DELETE FROM event_group WHERE number = ?")
                    .run(.integer(group))
            }
            return try refusal(of: row.id, version) ?? .sessionNotFound
        }
        if locations.count == Self.locationsLimit { locations = [:] }
        if let tail { location.journalSize = tail.size }
        locations[row.id] = location
        if let tail, tail.movesOut { try tail.removeOld(of: row.id, db) }
        return nil
    }

    /// Updates the columns of a row if the row has the expected version. Afterwards,
    /// `db.changesCount` is 0 if no row was updated.
    /// - Parameter tail: the update of the journal columns, which hold the newest part of the
    ///   history of the session's changes; nil leaves these columns unchanged.
    private func update(
        _ row: SessionRow, _ tail: JournalTail?, at location: RowLocation,
        replacing version: RowVersion
    ) throws {
        var values: [StoredValue] = []
        values.reserveCapacity(16)
        values += [
            .integer(row.expiresAt.milliseconds), .integer(row.revision), .blob(row.window),
            StoredValue(row.credentialRefusal?.rawValue), StoredValue(location.lastGroup),
            .integer(version.next.number), StoredValue(row.summary), StoredValue(row.name),
        ]
        if let tail { values += tail.values }
        let count = values.count
        values += [
            .integer(location.number), .blob(row.id.bytes), .integer(version.number),
            StoredValue(row.credential?.bytes),
        ]
        let statements = tail?.statements ?? .withoutJournal
        let statement =
            tail?.isFull == false
            ? updateSession : try db.cachedStatement(sql: statements.keepingCredential)
        try statement.run(values)
        guard db.changesCount == 0 else { return }
        // No row has this version and this credential. A log-in or log-out changes the credential.
        values.insert(values.removeLast(), at: count)
        try db.cachedStatement(sql: statements.changingCredential).run(values)
    }

    /// The SQL texts of the statements that update a session's row.
    struct UpdateStatements: Sendable {
        /// Updates the row only if its credential stays the same. The statement does not assign the
        /// credential, because SQLite would write a page of the credential's index even for the
        /// same value.
        let keepingCredential: String
        let changingCredential: String

        static let withoutJournal = UpdateStatements("")

        /// - Parameter journal: the SQL assignments of the journal columns, see `JournalTail`;
        ///   empty for none.
        init(_ journal: String) {
            let columns = """
                expires_at = ?, revision = ?, window = ?, credential_refusal = ?, last_group = ?,
                  version = ?, summary = ?, name = ?\(journal)
                """
            keepingCredential = """
                UPDATE session SET \(columns)
                WHERE number = ? AND id = ? AND version = ? AND credential IS ?
                """
            changingCredential = """
                UPDATE session SET \(columns), credential = ?
                WHERE number = ? AND id = ? AND version = ?
                """
        }
    }

    /// Checks whether an update, a deletion or a version check of a session is possible: the
    /// session's row must exist and have the version that `change` expects.
    /// - Parameter change: the change to check. The method does not check an insertion or nil.
    /// - Returns: nil if the change is possible or is not checked; otherwise the reason why the
    ///   change is not possible.
    func refusal(of change: WriteBatch.SessionChange?) throws -> CommitError? {
        switch change {
        case .update(let session, let version): try refusal(of: session.id, version)
        case .delete(let id, let version), .check(let id, let version):
            try refusal(of: id, version)
        case .insert, nil: nil
        }
    }

    private func refusal(of id: SessionID, _ version: RowVersion) throws -> CommitError? {
        let statement = try db.cachedStatement(sql: "SELECT version FROM session WHERE id = ?")
        guard let found = try Int.fetchOne(statement, arguments: [id.data]) else {
            return .sessionNotFound
        }
        return found == version.number ? nil : .conflict
    }

    /// Deletes a session's row if the row has the expected version.
    /// - Parameter version: the expected version.
    /// - Returns: nil if the row was deleted; otherwise the reason why not.
    mutating func delete(
        _ id: SessionID, replacing version: RowVersion
    ) throws -> CommitError? {
        // The session's events, idempotency records and tokens are no longer used; `purge` removes
        // them.
        try db.cachedStatement(sql: "DELETE FROM session WHERE id = ? AND version = ?")
            .run(.blob(id.bytes), .integer(version.number))
        guard db.changesCount > 0 else { return try refusal(of: id, version) ?? .sessionNotFound }
        locations[id] = nil
        return nil
    }

    /// Inserts a group of events as the newest group of a session. Also records the new group in
    /// `location`, which holds the number of the session's row and a few values from the row.
    private func append(
        _ group: EventBatch, of id: SessionID, to location: inout RowLocation
    ) throws {
        guard let level = EventChain.level(first: group.first, last: group.last) else {
            location.lastGroup = try insert(group, of: id, behind: location.lastGroup, jump: nil)
            return
        }
        let jump = try location.anchors[level] ?? anchor(of: group, of: id, location, level: level)
        let number = try insert(group, of: id, behind: location.lastGroup, jump: jump)
        location.lastGroup = number
        location.anchors.note(number, level: level)
    }

    /// Searches the database for the group to which the jump of a new event group leads. A jump is
    /// a link to a much earlier group, see `EventChain`. The search is needed only if `location`
    /// has no cached group for `level`, the index of the jump width.
    /// - Returns: the row number of the earlier group; nil if there is none.
    private func anchor(
        of group: EventBatch, of id: SessionID, _ location: RowLocation, level: Int
    ) throws -> Int? {
        let target = EventChain.target(last: group.last, level: level)
        guard target > 0, let newest = location.lastGroup else { return nil }
        return try EventChain.group(holding: target, from: newest, of: id.data, db)
    }

    /// Inserts a row with a group of events.
    /// - Parameters:
    ///   - previous: the number of the session's previous group; nil if there is none.
    ///   - jump: the number of the much earlier group to which the new group links, see
    ///     `EventChain`; nil for none.
    /// - Returns: the number of the new group.
    private func insert(
        _ group: EventBatch, of id: SessionID, behind previous: Int?, jump: Int?
    ) throws -> Int {
        try insertEvents.run(
            .blob(id.bytes), StoredValue(previous), StoredValue(jump), .integer(group.first),
            .integer(group.last), .blob(group.content))
        return insertEvents.lastInsertedRow
    }

    private func location(of id: SessionID) throws -> RowLocation? {
        if let location = locations[id] { return location }
        let statement = try db.cachedStatement(
            sql: "SELECT number, last_group, length(journal) AS size FROM session WHERE id = ?")
        return try Row.fetchOne(statement, arguments: [id.data]).map { row in
            try readStored("session \(id.prefix)") {
                RowLocation(
                    number: try row.integer("number"),
                    lastGroup: try row.integerIfPresent("last_group"),
                    journalSize: try row.integer("size"))
            }
        }
    }
}
