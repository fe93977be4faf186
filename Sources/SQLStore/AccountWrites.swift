import Sessions

/// The statements that write accounts, credentials, tokens and idempotency records.
package enum AccountWrites {
    // MARK: Idempotency records

    /// Inserts an idempotency record. PostgreSQL replaces a record with the same id only if that
    /// record has expired or its session has ended; if neither is the case, the batch is rejected.
    /// Within one process, locks keep two requests with the same key from running at the same time.
    static let insertRecord = SQLText(
        """
        INSERT /*sqlite OR REPLACE*/ INTO idempotency_record /*postgres AS r*/
          (id, session, fingerprint, request_size, expires_at, response)
        VALUES (?bytea, ?uuid, ?bytea, ?bigint, ?bigint, ?bytea)
        /*postgres ON CONFLICT (id) DO UPDATE SET session = excluded.session,
            fingerprint = excluded.fingerprint, request_size = excluded.request_size,
            expires_at = excluded.expires_at, response = excluded.response,
            number = excluded.number
          WHERE r.expires_at <= ?bigint
            OR r.session IS NOT NULL AND NOT EXISTS (SELECT FROM session WHERE id = r.session)*/
        """, orRefuse: .alreadyAnswered)

    /// Deletes the oldest idempotency records of a session. In PostgreSQL, the records of earlier
    /// versions of the schema have no numbers and are the oldest, and rows that another transaction
    /// deletes, too, are skipped.
    static let deleteOutdatedRecords = SQLText(
        """
        DELETE FROM idempotency_record WHERE id IN (
          SELECT id FROM idempotency_record WHERE session = ?uuid AND expires_at > ?bigint
          ORDER BY number /*postgres NULLS FIRST, expires_at*/ LIMIT ?bigint
          /*postgres FOR UPDATE SKIP LOCKED*/)
        """)

    static let deleteRecords = SQLText("DELETE FROM idempotency_record WHERE session = ?uuid")

    // MARK: Accounts

    static let insertAccount = SQLText(
        """
        INSERT INTO account (key, username, password, created_at, is_disabled)
        VALUES (?text, ?text, ?text, ?bigint, ?boolean) ON CONFLICT (key) DO NOTHING
        """, orRefuse: .usernameTaken)

    private static let expected = "key = ?text AND password = ?text AND is_disabled = ?boolean"

    static let requireAccount = SQLText(
        "SELECT 1 FROM account WHERE \(expected) /*postgres FOR SHARE*/",
        orRefuse: .accountChanged)

    static let updateAccount = SQLText(
        "UPDATE account SET password = ?text, is_disabled = ?boolean WHERE \(expected)",
        orRefuse: .accountChanged)

    static let deleteAccount = SQLText(
        "DELETE FROM account WHERE \(expected)", orRefuse: .accountChanged)

    // MARK: Credentials

    /// Stores the time of a credential's last use, at most once a minute. Without this limit, a
    /// test suite that opens thousands of sessions with one credential would often wait for the
    /// lock of the credential's row in PostgreSQL.
    static let noteUse = SQLText(
        """
        UPDATE credential SET last_used_at = ?bigint WHERE hash = ?bytea
        /*postgres AND (last_used_at IS NULL OR last_used_at + 60000 <= ?bigint)*/
        """)

    /// Requires a valid credential. In PostgreSQL, the statement locks the credential's row until the
    /// end of the transaction. A revocation of the credential waits for this lock, and then sees the
    /// rows that the transaction has written.
    static let requireCredential = SQLText(
        """
        SELECT 1 FROM credential WHERE hash = ?bytea AND NOT is_revoked AND expires_at > ?bigint
        /*postgres FOR SHARE*/
        """, orRefuse: .accountChanged)

    static let insertCredential = SQLText(
        """
        INSERT INTO credential (hash, account, username, session, created_at, expires_at,
          last_used_at, is_revoked)
        VALUES (?bytea, ?text, ?text, ?text, ?bigint, ?bigint, ?bigint, ?boolean)
        ON CONFLICT (hash) DO UPDATE SET account = excluded.account, username = excluded.username,
          session = excluded.session, created_at = excluded.created_at,
          expires_at = excluded.expires_at, last_used_at = excluded.last_used_at,
          is_revoked = excluded.is_revoked
        """)

    /// Removes an account's revoked and expired credentials, except the newest ones. The limit of
    /// 1,000 rows keeps the commit short, and still removes more credentials than are added.
    static let dropOldCredentials = SQLText(
        """
        DELETE FROM credential WHERE hash IN (
          SELECT hash FROM credential WHERE account = ?text AND (is_revoked OR expires_at <= ?bigint)
          ORDER BY created_at DESC, hash DESC LIMIT 1000 OFFSET ?bigint)
        """)

    static let revoke = SQLText("UPDATE credential SET is_revoked = true WHERE hash = ?bytea")

    static let revokeAll = SQLText(
        """
        UPDATE credential SET is_revoked = true
        WHERE account = ?text AND hash IS DISTINCT FROM ?bytea AND NOT is_revoked
        """)

    static let deleteCredentials = SQLText("DELETE FROM credential WHERE account = ?text")

    // MARK: Sessions

    /// Gives new versions to the sessions with a credential, in a database that several processes
    /// use. A process that has such a session in memory then reads it again. The batch's own session
    /// is left out, because the batch gives it a new version anyway.
    package static let touchSessions = SQLText(
        """
        UPDATE session SET version = version + 1, writer = ?bigint
        WHERE credential = ?bytea AND id IS DISTINCT FROM ?uuid
        """)

    static let touchSessionsOfAccount = SQLText(
        """
        UPDATE session SET version = version + 1, writer = ?bigint
        WHERE credential IN (SELECT hash FROM credential WHERE account = ?text AND is_revoked)
          AND id IS DISTINCT FROM ?uuid
        """)

    /// Removes the sessions that are logged in to an account. In PostgreSQL, the statement also
    /// removes their idempotency records and tokens, and a foreign key removes their logs. In SQLite,
    /// the purge removes them.
    static let deleteSessions = SQLText(
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
        """)

    /// Replaces the log of a session by one that has only a tail.
    static let replaceLog = SQLText(
        """
        UPDATE session SET version = ?bigint, tail = ?bytea, tail_first = ?bigint,
          tail_event = ?bigint, tail_has_state = ?boolean /*postgres , writer = ?bigint*/
        WHERE id = ?uuid AND version = ?bigint
        """, orRefuse: .conflict)

    static let deleteLog = SQLText("DELETE FROM log WHERE session = ?uuid")

    // MARK: Tokens

    /// Requires a session. In PostgreSQL, the statement locks the session's row until the end of the
    /// transaction, so that only one transaction at a time counts the tokens of the session.
    static let requireSession = SQLText(
        "SELECT 1 FROM session WHERE id = ?uuid /*postgres FOR NO KEY UPDATE*/",
        orRefuse: .sessionNotFound)

    static let requireLogIn = SQLText(
        "SELECT 1 FROM session WHERE id = ?uuid AND credential IS NOT DISTINCT FROM ?bytea",
        orRefuse: .conflict)

    static let requireRoomForToken = SQLText(
        """
        SELECT 1 FROM (SELECT count(*) AS number FROM session_token
          WHERE session = ?uuid AND expires_at > ?bigint) AS tokens WHERE number < ?bigint
        """, orRefuse: .tooManyTokens)

    static let insertToken = SQLText(
        """
        INSERT INTO session_token (hash, session, name, credential, created_at, expires_at)
        VALUES (?bytea, ?uuid, ?text, ?bytea, ?bigint, ?bigint)
        """)

    static let deleteToken = SQLText("DELETE FROM session_token WHERE hash = ?bytea")

    static let deleteTokensOfSession = SQLText("DELETE FROM session_token WHERE session = ?uuid")

    static let deleteTokensOfCredential = SQLText(
        "DELETE FROM session_token WHERE credential = ?bytea")

    static let deleteTokensOfAccount = SQLText(
        """
        DELETE FROM session_token WHERE credential IN (
          SELECT hash FROM credential WHERE account = ?text AND hash IS DISTINCT FROM ?bytea)
        """)
}
