import GRDB
import Sessions

/// Writes sessions in one transaction. What a change needs is found once: the statements, which GRDB
/// finds by their text, for a transaction; where a session's row is, for many.
struct SessionWriter {
    struct Place {
        /// The row's.
        let number: Int
        /// The number of the session's newest events; nil if it has none.
        var lastGroup: Int? {
            get { newestGroup == 0 ? nil : newestGroup }
            set { newestGroup = newValue ?? 0 }
        }
        /// Numbers count from 1. An optional would take twice as much, for each of many sessions.
        private var newestGroup: Int
        /// Where the jumps of the next events lead.
        var anchors = EventAnchors()

        init(number: Int, lastGroup: Int?) {
            self.number = number
            newestGroup = lastGroup ?? 0
        }
    }

    /// 16 MB.
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
                INSERT INTO event_group (session, previous, jump, first, last, events)
                VALUES (?, ?, ?, ?, ?, ?)
                """)
        // The token and the time at which it was opened stay.
        updateSession = try db.cachedStatement(
            sql: """
                UPDATE session SET expires_at = ?, revision = ?, window = ?, credential = ?,
                  credential_refusal = ?, last_group = ? WHERE number = ? AND id = ?
                """)
    }

    func insert(_ row: SessionRow) throws {
        let group = try row.events.map { try insert($0, of: row.id, behind: nil, jump: nil) }
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
        if let group = row.events { try append(group, of: row.id, to: &place) }
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

    /// Writes events behind those of the session that are there.
    private func append(
        _ group: EventGroup, of id: SessionID, to place: inout Place
    ) throws {
        guard let level = EventChain.level(first: group.first, last: group.last) else {
            place.lastGroup = try insert(group, of: id, behind: place.lastGroup, jump: nil)
            return
        }
        let jump = try place.anchors[level] ?? anchor(of: group, of: id, place, level: level)
        let number = try insert(group, of: id, behind: place.lastGroup, jump: jump)
        place.lastGroup = number
        place.anchors.note(number, level: level)
    }

    /// Searches for the group that a jump leads to: once for each width after the session was used
    /// first, or has not been changed for long.
    private func anchor(
        of group: EventGroup, of id: SessionID, _ place: Place, level: Int
    ) throws -> Int? {
        let target = EventChain.target(last: group.last, level: level)
        guard target > 0, let newest = place.lastGroup else { return nil }
        return try EventChain.group(holding: target, from: newest, of: id.data, db)
    }

    /// - Parameters:
    ///   - previous: the number of the session's events before these.
    ///   - jump: the number of some far before these, see `EventChain`.
    /// - Returns: the number of these.
    private func insert(
        _ group: EventGroup, of id: SessionID, behind previous: Int?, jump: Int?
    ) throws -> Int {
        try insertEvents.run(
            .blob(id.bytes), StoredValue(previous), StoredValue(jump), .integer(group.first),
            .integer(group.last), .blob(group.content))
        return insertEvents.lastInsertedRow
    }

    private func place(of id: SessionID) throws -> Place? {
        if let place = places[id] { return place }
        let statement = try db.cachedStatement(
            sql: "SELECT number, last_group FROM session WHERE id = ?")
        return try Row.fetchOne(statement, arguments: [id.data]).map { row in
            try readStored("session \(id.prefix)") {
                Place(
                    number: try row.integer("number"),
                    lastGroup: try row.integerIfPresent("last_group"))
            }
        }
    }
}
