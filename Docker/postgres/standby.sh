#!/bin/sh
# Starts the standby, with a copy of the primary's data at the first time.
set -eu
if [ ! -s "$PGDATA/PG_VERSION" ]; then
    mkdir -p "$PGDATA"
    chown postgres "$PGDATA"
    chmod 0700 "$PGDATA"
    until gosu postgres pg_basebackup --pgdata "$PGDATA" --write-recovery-conf --wal-method stream \
        --checkpoint fast --dbname "host=postgres-1 user=replicator application_name=postgres_2"; do
        sleep 1
    done
fi
exec gosu postgres postgres
