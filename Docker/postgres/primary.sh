#!/bin/sh
# Runs once, when the primary's data folder is made: the role of the standby, and who acknowledges commits.
set -eu
psql -v ON_ERROR_STOP=1 -U "$POSTGRES_USER" -v password="$POSTGRES_PASSWORD" <<'SQL'
CREATE ROLE replicator LOGIN REPLICATION PASSWORD :'password';
-- From the next start on, which follows: here each commit would wait for a standby that is not there yet.
ALTER SYSTEM SET synchronous_standby_names = 'FIRST 1 (postgres_2)';
-- For the standby, which copies the settings: it connects again soon after a restart of the primary.
ALTER SYSTEM SET wal_retrieve_retry_interval = '500ms';
SQL
echo "host replication replicator all scram-sha-256" >> "$PGDATA/pg_hba.conf"
