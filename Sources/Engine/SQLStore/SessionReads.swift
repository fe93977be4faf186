import NavigationRules
import Sessions
import WaypostCore

// The reads of sessions and their logs. The newest records of a log, its tail, are in the session's
// row, and can move to the table `log` at any time. One statement reads both places, so that no
// record is missed.

extension SQLSessionStore {
    public func session(_ id: SessionID) async throws(SessionError) -> StoredSession? {
        let subject = "session \(id.prefix)"
        let rows = try await read(subject, SessionReads.session(id, id)) { row in
            (try storedSession(id, row), try row.bytes("tail"), try row.bytesIfPresent("records"))
        }
        guard let (session, tail, _) = rows.first else { return nil }
        do {
            return try session(rows.compactMap(\.2) + [tail])
        } catch {
            throw .storage(StorageError(unreadable: subject, error))
        }
    }

    public func log(
        of id: SessionID, from first: Int, through last: Int
    ) async throws(SessionError) -> LogSlice {
        let (first, last) = (stored(first), stored(last))
        let rows = try await read(
            "history of session \(id.prefix)",
            SessionReads.log(id, last, id, first, id, first, last, id, id)
        ) { row in
            (records: try row.bytesIfPresent("records"), oldest: try row.integerIfPresent("oldest"))
        }
        return LogSlice(rows: rows.compactMap(\.records), oldest: rows.compactMap(\.oldest).min())
    }

    public func events(
        of id: SessionID, after: Int, limit: Int
    ) async throws(SessionError) -> EventPage {
        let start = min(stored(after) + 1, StoredRange.numbers.upperBound)
        let (sum, isOver) = start.addingReportingOverflow(limit)
        let end = isOver ? StoredRange.numbers.upperBound : stored(sum)
        let subject = "log of session \(id.prefix)"
        let rows = try await read(
            subject, SessionReads.events(id, end, id, start, id, start, id, id)
        ) { row in
            (records: try row.bytesIfPresent("records"), oldest: try row.integerIfPresent("oldest"))
        }
        let oldest = rows.compactMap(\.oldest).min() ?? 1
        // The page begins at the oldest event if the earlier ones are gone.
        if oldest > start {
            return try await events(of: id, after: oldest - 1, limit: limit)
        }
        do {
            return try EventPage(
                rows: rows.compactMap(\.records), oldest: oldest, after: after, limit: limit)
        } catch {
            throw .storage(StorageError(unreadable: subject, "its bytes are damaged"))
        }
    }

    public func sessionsWithHistory(
        of username: Username
    ) async throws(SessionError) -> [SessionID] {
        try await read(
            "sessions of log-ins", SessionReads.sessionsWithHistory(username.key, username.key)
        ) { try $0.id("id") }
    }

    /// Returns the number in the range of stored numbers that is nearest to `number`.
    private func stored(_ number: Int) -> Int {
        min(max(number, 0), StoredRange.numbers.upperBound)
    }
}

/// Decodes the row of a session except for its log.
/// - Returns: a closure that makes the session of the rows of its log from the newest complete state on.
private func storedSession(
    _ id: SessionID, _ row: any SQLRow
) throws(DamagedValue) -> @Sendable ([[UInt8]]) throws(DamagedValue) -> StoredSession {
    // A damaged name does not make the session unreadable; the check of the store reports it.
    let name = try? row.textIfPresent("name")
    let (tokenHash, credential) = (try row.hash("token_hash"), try row.hashIfPresent("credential"))
    let createdAt = try row.timestamp("created_at")
    let expiresAt = try row.timestamp("expires_at")
    let refusal = try row.textIfPresent("credential_refusal").flatMap(CredentialRefusal.init)
    let version = RowVersion(number: try row.integer("version"))
    let revision = try row.integer("revision")
    return { log throws(DamagedValue) in
        guard let newest = try? LogState.newest(in: log), newest.state.revision == revision else {
            throw DamagedValue(column: "tail", found: "no state of the session's revision")
        }
        return StoredSession(
            id: id, name: name, tokenHash: tokenHash, createdAt: createdAt, expiresAt: expiresAt,
            window: newest.state.window, credential: credential, credentialRefusal: refusal,
            version: version, logEnd: newest.end)
    }
}

extension SessionID {
    /// The first 8 hexadecimal digits of the id, for messages.
    package var prefix: Substring { description.prefix(8) }
}

package enum SessionReads {
    /// Reads the row of a session. If the tail does not begin with a complete state, the statement
    /// also reads the rows of the log from the newest complete state on.
    package static let session = SQLText(
        """
        SELECT s.version, s.revision, s.created_at, s.expires_at, s.token_hash, s.credential,
          s.credential_refusal, s.name, s.tail, l.records
        FROM session AS s LEFT JOIN log AS l
          ON l.session = s.id AND NOT s.tail_has_state AND l.first >= coalesce((
            SELECT first FROM log WHERE session = ?uuid AND has_state
            ORDER BY first DESC LIMIT 1), 0)
        WHERE s.id = ?uuid ORDER BY l.first, l.has_state
        """)

    /// Reads the rows of a log from the newest complete state at or before a revision on. If there is
    /// no such state, the rows begin with the oldest one. The last row is the tail, with the revision
    /// of the oldest complete state of the log.
    package static let log = SQLText(
        """
        SELECT first, has_state, records, CAST(NULL AS bigint) AS oldest FROM log
        WHERE session = ?uuid AND first <= ?bigint AND first >= coalesce((
            SELECT first FROM log WHERE session = ?uuid AND first <= ?bigint AND has_state
            ORDER BY first DESC LIMIT 1), 0)
          AND EXISTS (
            SELECT 1 FROM session
            WHERE id = ?uuid AND NOT (tail_has_state AND tail_first <= ?bigint))
        UNION ALL
        SELECT tail_first, tail_has_state, CASE WHEN tail_first <= ?bigint THEN tail END, coalesce(
          (SELECT first FROM log WHERE session = ?uuid AND has_state ORDER BY first LIMIT 1),
          CASE WHEN tail_has_state THEN tail_first END)
        FROM session WHERE id = ?uuid
        ORDER BY 1, 2
        """)

    /// Reads the rows of a log that hold events with numbers in a range. The last row is the tail,
    /// with the number of the oldest event of the log.
    package static let events = SQLText(
        """
        SELECT first, has_state, records, CAST(NULL AS bigint) AS oldest FROM log
        WHERE session = ?uuid AND first_event <= ?bigint AND first >= coalesce((
            SELECT first FROM log WHERE session = ?uuid AND first_event <= ?bigint
            ORDER BY first DESC LIMIT 1), 0)
          AND EXISTS (SELECT 1 FROM session WHERE id = ?uuid AND tail_event > ?bigint)
        UNION ALL
        SELECT tail_first, tail_has_state, tail, coalesce(
          (SELECT first_event FROM log WHERE session = ?uuid ORDER BY first, has_state LIMIT 1),
          tail_event)
        FROM session WHERE id = ?uuid
        ORDER BY 1, 2
        """)

    /// `session_id` is a function that the store adds to SQLite.
    private static let withHistory = """
        SELECT id FROM session
        WHERE id IN (
            SELECT /*sqlite session_id(session)*/
              /*postgres CASE WHEN session ~ '^[0-9a-f]{32}$' THEN session::uuid END*/
            FROM credential WHERE account = ?text)
          AND (credential IS NULL OR credential NOT IN (
            SELECT hash FROM credential WHERE account = ?text))
        """

    static let sessionsWithHistory = SQLText(withHistory)
    static let requireNoSessionWithHistory = SQLText(
        "SELECT 1 WHERE NOT EXISTS (\(withHistory))", orRefuse: .conflict)
}
