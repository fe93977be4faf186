/// The statements of batches that run in a separate transaction (`WholeBatch`). A statement that
/// computes `1 / count(*)` fails with a division by zero if the row that the batch expects does not
/// exist.
enum WholeStatements {
    /// Inserts an idempotency record. If an old record with the same id exists, the statement
    /// replaces the old record, but only if that record has expired or its session has ended. If
    /// neither is the case, the statement fails with a division by zero.
    static let insertRecord = SQLStatement(
        "insert_record",
        """
        WITH written AS (
          INSERT INTO idempotency_record AS r
            (id, session, fingerprint, request_size, expires_at, response)
          VALUES ($1::bytea, $2::uuid, $3::bytea, $4::bigint, $5::bigint, $6::bytea)
          ON CONFLICT (id) DO UPDATE SET session = excluded.session,
            fingerprint = excluded.fingerprint, request_size = excluded.request_size,
            expires_at = excluded.expires_at, response = excluded.response,
            number = excluded.number
          WHERE r.expires_at <= $7::bigint
            OR r.session IS NOT NULL AND NOT EXISTS (SELECT FROM session WHERE id = r.session)
          RETURNING 1
        ) SELECT 1 / count(*) FROM written
        """)

    /// Deletes the oldest idempotency records of a session. The records of earlier versions of the
    /// schema have no numbers and are the oldest. Rows that another transaction deletes, too, are
    /// skipped.
    static let deleteOutdatedRecords = SQLStatement(
        "delete_outdated_records",
        """
        DELETE FROM idempotency_record WHERE id IN (
          SELECT id FROM idempotency_record
          WHERE session = $1::uuid AND expires_at > $2::bigint
          ORDER BY number NULLS FIRST, expires_at LIMIT $3::bigint FOR UPDATE SKIP LOCKED)
        """)

    // MARK: Accounts and credentials

    static let insertAccount = SQLStatement(
        "insert_account",
        """
        INSERT INTO account (key, username, password, created_at, is_disabled)
        VALUES ($1::text, $2::text, $3::text, $4::bigint, $5::boolean)
        """)

    static let requireAccount = SQLStatement(
        "require_account",
        """
        SELECT 1 / count(*) FROM (
          SELECT FROM account WHERE key = $1::text AND password = $2::text
            AND is_disabled = $3::boolean FOR SHARE) AS found
        """)

    static let updateAccount = SQLStatement(
        "update_account",
        """
        WITH written AS (
          UPDATE account SET password = $4::text, is_disabled = $5::boolean
          WHERE key = $1::text AND password = $2::text AND is_disabled = $3::boolean RETURNING 1
        ) SELECT 1 / count(*) FROM written
        """)

    static let deleteAccount = SQLStatement(
        "delete_account",
        """
        WITH written AS (
          DELETE FROM account
          WHERE key = $1::text AND password = $2::text AND is_disabled = $3::boolean RETURNING 1
        ) SELECT 1 / count(*) FROM written
        """)

    /// Stores the time of a credential's last use, at most once a minute. Without this limit, a
    /// test suite that opens thousands of sessions with one credential would often wait for the
    /// lock of the credential's row.
    static let noteUse = SQLStatement(
        "note_use",
        """
        UPDATE credential SET last_used_at = $2::bigint
        WHERE hash = $1::bytea AND (last_used_at IS NULL OR last_used_at + 60000 <= $2::bigint)
        """)

    /// Fails with a division by zero if the credential does not exist, is revoked or has expired.
    /// Otherwise the statement locks the credential's row until the end of the transaction. A
    /// revocation of the credential waits for this lock, and then sees the rows that the
    /// transaction has written.
    static let requireCredential = SQLStatement(
        "require_credential",
        """
        SELECT 1 / count(*) FROM (
          SELECT FROM credential WHERE hash = $1::bytea AND NOT is_revoked
            AND expires_at > $2::bigint FOR SHARE) AS found
        """)

    static let insertCredential = SQLStatement(
        "insert_credential",
        """
        INSERT INTO credential (hash, account, username, session, created_at, expires_at,
          last_used_at, is_revoked)
        VALUES ($1::bytea, $2::text, $3::text, $4::text, $5::bigint, $6::bigint, $7::bigint,
          $8::boolean)
        ON CONFLICT (hash) DO UPDATE SET account = excluded.account, username = excluded.username,
          session = excluded.session, created_at = excluded.created_at,
          expires_at = excluded.expires_at, last_used_at = excluded.last_used_at,
          is_revoked = excluded.is_revoked
        """)

    /// Removes an account's revoked and expired credentials, except the newest `$3` of them. The
    /// statement removes at most 1,000 rows, so that the commit stays short.
    static let dropOldCredentials = SQLStatement(
        "drop_old_credentials",
        """
        DELETE FROM credential WHERE hash IN (
          SELECT hash FROM credential
          WHERE account = $1::text AND (is_revoked OR expires_at <= $2::bigint)
          ORDER BY created_at DESC, hash DESC LIMIT 1000 OFFSET $3::bigint)
        """)

    static let revoke = SQLStatement(
        "revoke", "UPDATE credential SET is_revoked = true WHERE hash = ANY ($1::bytea[])")

    static let revokeAll = SQLStatement(
        "revoke_all",
        """
        UPDATE credential SET is_revoked = true
        WHERE account = $1::text AND hash IS DISTINCT FROM $2::bytea AND NOT is_revoked
        """)

    static let deleteCredentials = SQLStatement(
        "delete_credentials", "DELETE FROM credential WHERE account = $1::text")

    // MARK: Sessions

    /// Gives new versions to the sessions with the given credentials. A process of the service that
    /// has such a session in memory then reads the session again.
    static let touchSessions = SQLStatement(
        "touch_sessions",
        """
        UPDATE session SET version = version + 1, writer = $2::bigint
        WHERE credential = ANY ($1::bytea[]) AND id IS DISTINCT FROM $3::uuid
        """)

    static let touchSessionsOfAccount = SQLStatement(
        "touch_sessions_of_account",
        """
        UPDATE session SET version = version + 1, writer = $2::bigint
        WHERE credential IN (SELECT hash FROM credential WHERE account = $1::text AND is_revoked)
          AND id IS DISTINCT FROM $3::uuid
        """)

    /// Removes the sessions that are logged in to an account, with their events, idempotency records
    /// and tokens. A foreign key removes their journals (histories of changes).
    static let deleteSessionsOfAccount = SQLStatement(
        "delete_sessions_of_account",
        """
        WITH ended AS (
          DELETE FROM session
          WHERE credential IN (SELECT hash FROM credential WHERE account = $1::text)
          RETURNING id
        ), events AS (
          DELETE FROM event_group WHERE session IN (SELECT id FROM ended)
        ), records AS (
          DELETE FROM idempotency_record WHERE session IN (SELECT id FROM ended)
        ), tokens AS (
          DELETE FROM session_token WHERE session IN (SELECT id FROM ended)
        )
        SELECT id FROM ended
        """)

    /// Deletes the journals (histories of changes) of the sessions in which an account's stored
    /// credentials were issued. The rows get new versions, so that every process of the service
    /// begins a new journal.
    static let deleteHistoriesOfLogIns = SQLStatement(
        "delete_histories_of_log_ins",
        """
        WITH found AS MATERIALIZED (
          SELECT DISTINCT CASE WHEN session ~ '^[0-9a-f]{32}$' THEN session::uuid END AS id
          FROM credential WHERE account = $1::text
        ), parts AS (
          DELETE FROM journal_part WHERE session IN (SELECT id FROM found)
        )
        UPDATE session SET journal = '', journal_first = 0, journal_last = 0,
          journal_base = NULL, journal_digest = 0, version = version + 1, writer = $2::bigint
        WHERE id IN (SELECT id FROM found)
        """)

    static let insertSession = SQLStatement(
        "insert_session",
        """
        INSERT INTO session (id, version, writer, revision, last_event, created_at, expires_at,
          purge_after, token_hash, credential, credential_refusal, state, tail_first, tail, summary,
          name)
        VALUES ($1::uuid, 1, $2::bigint, $3::bigint, $4::bigint, $5::bigint, $6::bigint,
          $7::bigint, $8::bytea, $9::bytea, $10::text, $11::bytea, $12::bigint, $13::bytea,
          $14::bytea, $15::text)
        """)

    static let requireWritten = SQLStatement(
        "require_written",
        "SELECT 1 / count(*) FROM session WHERE id = $1::uuid AND writer = $2::bigint")

    static let requireVersion = SQLStatement(
        "require_version",
        """
        SELECT 1 / count(*) FROM (
          SELECT FROM session WHERE id = $1::uuid AND version = $2::bigint FOR SHARE) AS found
        """)

    static let deleteSession = SQLStatement(
        "delete_session",
        """
        WITH written AS (
          DELETE FROM session WHERE id = $1::uuid AND version = $2::bigint RETURNING 1
        ) SELECT 1 / count(*) FROM written
        """)

    static let deleteEvents = SQLStatement(
        "delete_events", "DELETE FROM event_group WHERE session = $1::uuid")

    static let deleteRecords = SQLStatement(
        "delete_records", "DELETE FROM idempotency_record WHERE session = $1::uuid")

    // MARK: Further tokens

    /// Fails with a division by zero if the session does not exist, or if its credential is not
    /// `$2`; NULL stands for no credential. Otherwise the statement locks the session's row until
    /// the end of the transaction, so that only one transaction at a time counts the tokens of the
    /// session.
    static let requireLogIn = SQLStatement(
        "require_log_in",
        """
        SELECT 1 / count(*) FROM (
          SELECT FROM session WHERE id = $1::uuid AND credential IS NOT DISTINCT FROM $2::bytea
          FOR NO KEY UPDATE) AS found
        """)

    static let requireRoomForToken = SQLStatement(
        "require_room_for_token",
        """
        SELECT 1 / (count(*) < $3::bigint)::integer FROM session_token
        WHERE session = $1::uuid AND expires_at > $2::bigint
        """)

    static let insertToken = SQLStatement(
        "insert_token",
        """
        INSERT INTO session_token (hash, session, name, credential, created_at, expires_at)
        VALUES ($1::bytea, $2::uuid, $3::text, $4::bytea, $5::bigint, $6::bigint)
        """)

    static let deleteToken = SQLStatement(
        "delete_token", "DELETE FROM session_token WHERE hash = $1::bytea")

    static let deleteTokensOfSession = SQLStatement(
        "delete_tokens_of_session", "DELETE FROM session_token WHERE session = $1::uuid")

    static let deleteTokensOfCredentials = SQLStatement(
        "delete_tokens_of_credentials",
        "DELETE FROM session_token WHERE credential = ANY ($1::bytea[])")

    static let deleteTokensOfAccount = SQLStatement(
        "delete_tokens_of_account",
        """
        DELETE FROM session_token WHERE credential IN (
          SELECT hash FROM credential
          WHERE account = $1::text AND hash IS DISTINCT FROM $2::bytea)
        """)
}
