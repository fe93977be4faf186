import GRDB
import Sessions

/// Writes sessions in one transaction. What a change needs is found once: the statements, which GRDB
/// finds by their text, for a transaction; where a session's row is, for many.
struct SessionWriter {
    struct Place {
        /// The row's.
        let number: Int
        /// The number of the session's newest events.
        var lastGroup: Int?
    }

    /// 10 MB.
    private static let placesLimit = 1 << 17

    /// Of sessions that changed lately. One of them may have been purged since: the row that has its
    /// number then is another one's, which its id tells.
    private(set) var places: [SessionID: Place]

    private let db: Database
    private let insertEvents: Statement
    private let updateSession: Statement

    /// - Parameter places: what the last transaction had when it was committed.
    init(_ db: Database, places: consuming [SessionID: Place]) throws {
        self.places = places
        self.db = db
        insertEvents = try db.cachedStatement(
            sql: """
                INSERT INTO event_group (session, previous, first, last, events)
                VALUES (?, ?, ?, ?, ?)
                """)
        // The token and the time at which it was opened stay.
        updateSession = try db.cachedStatement(
            sql: """
                UPDATE session SET expires_at = ?, revision = ?, window = ?, credential = ?,
                  credential_refusal = ?, last_group = ? WHERE number = ? AND id = ?
                """)
    }

    func insert(_ row: SessionRow) throws {
        let group = try row.events.map { try insert($0, of: row.id, behind: nil) }
        try db.cachedStatement(
            sql: """
                INSERT INTO session (id, token_hash, created_at, expires_at, revision, window,
                  credential, credential_refusal, last_group) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).run(
            .blob(row.id.bytes), .blob(row.tokenHash.bytes),
            .integer(row.createdAt.milliseconds), .integer(row.expiresAt.milliseconds),
            .integer(row.revision), .blob(row.window), StoredValue(row.credential?.bytes),
            StoredValue(row.credentialRefusal?.rawValue), StoredValue(group))
    }

    /// - Returns: false, and nothing is written, if there is no such session.
    mutating func update(_ row: SessionRow) throws -> Bool {
        guard var place = try place(of: row.id) else { return false }
        let previous = place.lastGroup
        if let group = row.events {
            place.lastGroup = try insert(group, of: row.id, behind: place.lastGroup)
        }
        try updateSession.run(
            .integer(row.expiresAt.milliseconds), .integer(row.revision), .blob(row.window),
            StoredValue(row.credential?.bytes), StoredValue(row.credentialRefusal?.rawValue),
            StoredValue(place.lastGroup), .integer(place.number), .blob(row.id.bytes))
        // The row may be gone since its place was remembered: the purge takes expired sessions.
        guard db.changesCount > 0 else {
            places[row.id] = nil
            if let group = place.lastGroup, group != previous {
                try db.cachedStatement(sql: "DELETE FROM event_group WHERE number = ?")
                    .run(.integer(group))
            }
            return false
        }
        if places.count == Self.placesLimit { places = [:] }
        places[row.id] = place
        return true
    }

    /// Whether the session's row is there now.
    func contains(_ id: SessionID) throws -> Bool {
        let statement = try db.cachedStatement(sql: "SELECT 1 FROM session WHERE id = ?")
        return try Row.fetchOne(statement, arguments: [id.data]) != nil
    }

    mutating func delete(_ id: SessionID) throws {
        // Its events no longer count from here on; `purge` takes them away.
        try db.cachedStatement(sql: "DELETE FROM session WHERE id = ?").run(.blob(id.bytes))
        places[id] = nil
    }

    /// - Parameter previous: the number of the session's events before these.
    /// - Returns: the number of these.
    private func insert(
        _ group: EventGroup, of id: SessionID, behind previous: Int?
    ) throws -> Int {
        try insertEvents.run(
            .blob(id.bytes), StoredValue(previous), .integer(group.first), .integer(group.last),
            .blob(group.content))
        return insertEvents.lastInsertedRow
    }

    private func place(of id: SessionID) throws -> Place? {
        if let place = places[id] { return place }
        let statement = try db.cachedStatement(
            sql: "SELECT number, last_group FROM session WHERE id = ?")
        return try Row.fetchOne(statement, arguments: [id.data]).map { row in
            Place(number: row["number"], lastGroup: row["last_group"])
        }
    }
}
