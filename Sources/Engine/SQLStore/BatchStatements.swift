import Sessions
import WaypostCore

/// The statements of a batch.
///
/// All batches of a shared database lock rows in the same order: idempotency records, the account,
/// credentials, sessions. Only the insertion of a new credential, and the removal of the account's old
/// credentials, comes after the session, and none of these two rejects the batch. The removal of an
/// account also deletes credentials and changes former sessions after the sessions that it ends: after
/// a deadlock, `Worker` tries it again.
package struct BatchStatements {
    /// The statements in the order in which they run.
    package private(set) var all: [StoreStatement] = []
    private let shared: (writer: Int, now: Timestamp)?

    /// - Parameters:
    ///   - shared: the random number by which a database that several processes use knows the
    ///     batch, and the current time; nil if only one process uses the database.
    ///   - update: adds the statements that update a session, and that reject the batch if the
    ///     session's row does not have the version.
    package init(
        _ batch: WriteBatch, shared: (writer: Int, now: Timestamp)?,
        update: (StorableSession, RowVersion, inout [StoreStatement]) -> Void
    ) {
        self.shared = shared
        if shared != nil { addRecords(batch) }
        let writes = batch.accountWrites
        if let account = writes?.account { add(account) }
        if let use = writes?.credentialUse { add(use) }
        if case .insert(let token, _) = writes?.token {
            require(token.credential, at: token.createdAt)
        }
        if let revocation = writes?.revocation { add(revocation, batch.session?.id) }
        if let token = writes?.token { add(token) }
        switch batch.session {
        case .insert(let content):
            // The purge of SQLite may not have removed what an ended session with this id has left.
            if shared == nil {
                deleteLog(of: content.id)
                deleteRest(of: content.id)
            }
            all.append(SessionTable.inserting(content, batch.log, shared: shared))
        case .update(let content, let version): update(content, version, &all)
        case .delete(let id, let version):
            all.append(SessionTable.deletion(id, version.number))
            if shared != nil { deleteRest(of: id) }
        case .deleteUnread(let id, let time):
            all.append(SessionTable.deletionOfAnyVersion(id, time))
            if shared != nil { deleteRest(of: id) }
        case .check(let id, let version):
            all.append(SessionTable.requireVersion(id, version.number))
        case nil: break
        }
        if let credential = writes?.newCredential { insert(credential) }
        // A batch without account writes is thus rejected before its first write, and needs no
        // savepoint.
        if shared == nil { addRecords(batch) }
    }

    private mutating func add(
        _ source: StaticString, _ values: any SQLParameter..., orRefuse refusal: SessionError? = nil
    ) {
        all.append(StoreStatement(source, values, orRefuse: refusal))
    }

    /// Deletes what an ended session has left beside its log. In SQLite, the purge does it.
    private mutating func deleteRest(of id: SessionID) {
        add("DELETE FROM idempotency_record WHERE session = ?uuid", id)
        add("DELETE FROM session_token WHERE session = ?uuid", id)
    }

    // MARK: Idempotency records

    private mutating func addRecords(_ batch: WriteBatch) {
        for record in batch.idempotencyRecords {
            // PostgreSQL rejects the batch if there is a record with the same id, unless that record
            // has expired or its session has ended. Within one process, locks keep two requests with
            // the same key from running at the same time.
            if let shared {
                // The insertion itself cannot decide this: if it waits for a batch that inserts the
                // same record, it does not see the session that this batch inserts.
                add(
                    """
                    DELETE FROM idempotency_record AS r
                    WHERE id = ?bytea AND (expires_at <= ?bigint OR session IS NOT NULL
                      AND NOT EXISTS (SELECT FROM session WHERE id = r.session))
                    """, record.id, shared.now)
            }
            add(
                """
                INSERT /*sqlite OR REPLACE*/ INTO idempotency_record
                  (id, session, fingerprint, request_size, expires_at, response)
                VALUES (?bytea, ?uuid, ?bytea, ?bigint, ?bigint, ?bytea)
                /*postgres ON CONFLICT (id) DO NOTHING*/
                """,
                record.id, record.session, record.fingerprint, record.requestSize,
                record.expiresAt, record.sealedResponse, orRefuse: .recordExists)
        }
        guard let outdated = batch.outdatedRecords else { return }
        // In PostgreSQL, the records of earlier versions of the schema have no numbers and are the
        // oldest, and rows that another transaction deletes, too, are skipped.
        add(
            """
            DELETE FROM idempotency_record WHERE id IN (
              SELECT id FROM idempotency_record WHERE session = ?uuid AND expires_at > ?bigint
              ORDER BY number /*postgres NULLS FIRST, expires_at*/ LIMIT ?bigint
              /*postgres FOR UPDATE SKIP LOCKED*/)
            """, outdated.session, outdated.now, outdated.count)
    }

    // MARK: Accounts

    private mutating func add(_ change: WriteBatch.AccountChange) {
        switch change {
        case .insert(let account):
            add(
                """
                INSERT INTO account (key, username, password, created_at, is_disabled)
                VALUES (?text, ?text, ?text, ?bigint, ?boolean) ON CONFLICT (key) DO NOTHING
                """,
                account.username.key, account.username.text, account.password.text,
                account.createdAt, account.isDisabled, orRefuse: .usernameTaken)
        case .update(let account, from: let found) where account == found:
            // A log-in changes nothing in the account, and must not wait for another log-in.
            add(
                """
                SELECT 1 FROM account WHERE key = ?text AND password = ?text
                  AND is_disabled = ?boolean /*postgres FOR SHARE*/
                """, found.username.key, found.password.text, found.isDisabled,
                orRefuse: .accountChanged)
        case .update(let account, from: let found):
            add(
                """
                UPDATE account SET password = ?text, is_disabled = ?boolean
                WHERE key = ?text AND password = ?text AND is_disabled = ?boolean
                """,
                account.password.text, account.isDisabled, found.username.key,
                found.password.text, found.isDisabled, orRefuse: .accountChanged)
        case .delete(let found, let histories):
            let key = found.username.key
            let histories = histories.sorted { $0.session < $1.session }
            // The responses show what the histories show.
            for history in histories {
                add("DELETE FROM idempotency_record WHERE session = ?uuid", history.session)
            }
            add(
                """
                DELETE FROM account WHERE key = ?text AND password = ?text
                  AND is_disabled = ?boolean
                """, key, found.password.text, found.isDisabled, orRefuse: .accountChanged)
            // This update waits for batches that use one of the credentials, so that the
            // sessions of these batches are found, too.
            revokeAll(of: key, except: nil)
            if shared != nil {
                // This statement waits for batches that change the sessions. The next one sees their
                // idempotency records, which it would not see if it had to wait itself.
                add(
                    """
                    SELECT 1 FROM session
                    WHERE credential IN (SELECT hash FROM credential WHERE account = ?text)
                    ORDER BY id FOR UPDATE
                    """, key)
            }
            // In PostgreSQL, the statement also removes the idempotency records and tokens of the
            // sessions, and a foreign key removes their logs. In SQLite, the purge removes them.
            add(
                """
                /*postgres WITH ended AS (*/
                  DELETE FROM session
                  WHERE credential IN (SELECT hash FROM credential WHERE account = ?text)
                /*postgres RETURNING id
                ), records AS (
                  DELETE FROM idempotency_record WHERE session IN (SELECT id FROM ended)
                ), tokens AS (
                  DELETE FROM session_token WHERE session IN (SELECT id FROM ended)
                ) SELECT id FROM ended*/
                """, key)
            for history in histories {
                add(
                    "DELETE FROM credential WHERE account = ?text AND session = ?text",
                    key, history.session.description)
            }
            // A session that has logged out since the histories were read is not among them, and its
            // credential is still there.
            all.append(SessionReads.requireNoSessionWithHistory(key, key))
            add("DELETE FROM credential WHERE account = ?text", key)
            for history in histories { remove(history) }
        }
    }

    /// Replaces the log of a session by one that has only a tail.
    private mutating func remove(_ history: WriteBatch.HistoryRemoval) {
        let tail = history.log.tail
        add(
            """
            UPDATE session SET version = ?bigint, tail = ?bytea, tail_first = ?bigint,
              tail_event = ?bigint, tail_has_state = ?boolean /*postgres , writer = ?bigint*/
            WHERE id = ?uuid AND version = ?bigint
            """,
            history.version.next.number, tail.records, tail.first, tail.firstEvent, tail.hasState,
            shared?.writer, history.session, history.version.number, orRefuse: .conflict)
        deleteLog(of: history.session)
    }

    private mutating func deleteLog(of id: SessionID) {
        add("DELETE FROM log WHERE session = ?uuid", id)
    }

    // MARK: Credentials

    private mutating func add(_ use: WriteBatch.CredentialUse) {
        // Stores the time at most once a minute. Without this limit, a test suite that opens
        // thousands of sessions with one credential would often wait for the lock of its row in
        // PostgreSQL. The update comes before `require`, which takes a shared lock: two transactions
        // that both held this lock would wait for each other at the update.
        add(
            """
            UPDATE credential SET last_used_at = ?bigint WHERE hash = ?bytea
            /*postgres AND (last_used_at IS NULL OR last_used_at + 60000 <= ?bigint)*/
            """, use.time, use.hash, use.time)
        require(use.hash, at: use.time)
    }

    /// Requires a valid credential. In PostgreSQL, the statement locks the credential's row until the
    /// end of the transaction. A revocation of the credential waits for this lock, and then sees the
    /// rows that the transaction has written.
    private mutating func require(_ credential: SecretHash, at time: Timestamp) {
        add(
            """
            SELECT 1 FROM credential WHERE hash = ?bytea AND NOT is_revoked AND expires_at > ?bigint
            /*postgres FOR SHARE*/
            """, credential, time, orRefuse: .accountChanged)
    }

    /// Inserts a credential, and removes the account's revoked and expired ones except the newest. The
    /// limit of 1,000 rows keeps the commit short, and still removes more than are added.
    private mutating func insert(_ credential: Credential) {
        add(
            """
            INSERT INTO credential (hash, account, username, session, created_at, expires_at,
              last_used_at, is_revoked)
            VALUES (?bytea, ?text, ?text, ?text, ?bigint, ?bigint, ?bigint, ?boolean)
            ON CONFLICT (hash) DO UPDATE SET account = excluded.account,
              username = excluded.username, session = excluded.session,
              created_at = excluded.created_at, expires_at = excluded.expires_at,
              last_used_at = excluded.last_used_at, is_revoked = excluded.is_revoked
            """,
            credential.hash, credential.username.key, credential.username.text,
            credential.session, credential.createdAt, credential.expiresAt,
            credential.lastUsedAt, credential.isRevoked)
        add(
            """
            DELETE FROM credential WHERE hash IN (
              SELECT hash FROM credential
              WHERE account = ?text AND (is_revoked OR expires_at <= ?bigint)
              ORDER BY created_at DESC, hash DESC LIMIT 1000 OFFSET ?bigint)
            """, credential.username.key, credential.createdAt, Credential.rememberedLimit)
    }

    /// Revokes credentials, and deletes the tokens that were made with them. In a database that several
    /// processes use, the sessions with these credentials get new versions, so that a process that has
    /// such a session in memory reads it again.
    /// - Parameter session: the batch's own session, which gets a new version anyway.
    private mutating func add(_ revocation: WriteBatch.Revocation, _ session: SessionID?) {
        switch revocation {
        case .credentials(let hashes):
            let sorted = hashes.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
            for hash in sorted {
                add("UPDATE credential SET is_revoked = true WHERE hash = ?bytea", hash)
            }
            for hash in sorted { add("DELETE FROM session_token WHERE credential = ?bytea", hash) }
            guard let shared else { return }
            all += sorted.map { Self.touchSessions(shared.writer, $0, session) }
        case .all(of: let username, except: let exception):
            revokeAll(of: username.key, except: exception)
            guard let shared else { return }
            add(
                """
                UPDATE session SET version = version + 1, writer = ?bigint
                WHERE credential IN (
                    SELECT hash FROM credential WHERE account = ?text AND is_revoked)
                  AND id IS DISTINCT FROM ?uuid
                """, shared.writer, username.key, session)
        }
    }

    package static let touchSessions = SQLText(
        """
        UPDATE session SET version = version + 1, writer = ?bigint
        WHERE credential = ?bytea AND id IS DISTINCT FROM ?uuid
        """)

    private mutating func revokeAll(of account: String, except hash: SecretHash?) {
        add(
            """
            UPDATE credential SET is_revoked = true
            WHERE account = ?text AND hash IS DISTINCT FROM ?bytea AND NOT is_revoked
            """, account, hash)
        add(
            """
            DELETE FROM session_token WHERE credential IN (
              SELECT hash FROM credential WHERE account = ?text AND hash IS DISTINCT FROM ?bytea)
            """, account, hash)
    }

    // MARK: Tokens

    private mutating func add(_ change: WriteBatch.TokenChange) {
        switch change {
        case .insert(let token, let credential):
            // In PostgreSQL, the statement locks the session's row until the end of the transaction,
            // so that only one transaction at a time counts the tokens of the session.
            add(
                "SELECT 1 FROM session WHERE id = ?uuid /*postgres FOR NO KEY UPDATE*/",
                token.session, orRefuse: .ended)
            add(
                "SELECT 1 FROM session WHERE id = ?uuid AND credential IS NOT DISTINCT FROM ?bytea",
                token.session, credential, orRefuse: .conflict)
            add(
                """
                SELECT 1 FROM (SELECT count(*) AS number FROM session_token
                  WHERE session = ?uuid AND expires_at > ?bigint) AS tokens WHERE number < ?bigint
                """, token.session, token.createdAt, SessionToken.limit, orRefuse: .tooManyTokens)
            add(
                """
                INSERT INTO session_token (hash, session, name, credential, created_at, expires_at)
                VALUES (?bytea, ?uuid, ?text, ?bytea, ?bigint, ?bigint)
                """,
                token.hash, token.session, token.name, token.credential, token.createdAt,
                token.expiresAt)
        case .delete(let hash): add("DELETE FROM session_token WHERE hash = ?bytea", hash)
        case .deleteAll(let session):
            add("DELETE FROM session_token WHERE session = ?uuid", session)
        }
    }
}
