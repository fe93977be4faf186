import GRDB
import Sessions

/// Writes the changes of sessions in one transaction. What has to be found is found once: the
/// statements, which GRDB finds by their text, for a transaction; where a session's row is, for many.
struct SessionUpdates {
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

    private let insertEvents: Statement
    private let updateSession: Statement
    private let findPlace: Statement

    /// - Parameter places: what the last transaction had when it was committed.
    init(_ db: Database, places: consuming [SessionID: Place]) throws {
        self.places = places
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
        findPlace = try db.cachedStatement(
            sql: "SELECT number, last_group FROM session WHERE id = ?")
    }

    /// Does nothing if there is no such session. (Its events stay until the next purge if it was purged
    /// just now.)
    mutating func write(_ row: SessionRow) throws {
        guard var place = try place(of: row.id) else { return }
        let id = StoredValue.blob(row.id.bytes)
        if let group = row.events {
            try insertEvents.run(
                id, StoredValue(place.lastGroup), .integer(group.first), .integer(group.last),
                .blob(group.content))
            place.lastGroup = insertEvents.lastInsertedRow
        }
        try updateSession.run(
            .integer(row.expiresAt.milliseconds), .integer(row.revision), .blob(row.window),
            StoredValue(row.credential?.bytes), StoredValue(row.credentialRefusal?.rawValue),
            StoredValue(place.lastGroup), .integer(place.number), id)
        if places.count == Self.placesLimit { places = [:] }
        places[row.id] = place
    }

    mutating func forget(_ id: SessionID) { places[id] = nil }

    private func place(of id: SessionID) throws -> Place? {
        if let place = places[id] { return place }
        return try Row.fetchOne(findPlace, arguments: [id.data]).map { row in
            Place(number: row["number"], lastGroup: row["last_group"])
        }
    }
}
