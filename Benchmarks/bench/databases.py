"""PostgreSQL servers under load: their processor time, their log, and their updates."""

import contextlib
import re
from pathlib import Path

from postgres import USER, Postgres

from .server import TICKS_PER_SECOND

SETTINGS = {"shared_buffers": "256MB", "checkpoint_timeout": "15min", "max_wal_size": "8GB"}


class Database:
    """One server, or the two of a pair."""

    def __init__(self, folder, name):
        self.primary = Postgres(folder, name, **SETTINGS)
        self.servers = [self.primary]

    @classmethod
    def of(cls, pair):
        database = cls.__new__(cls)
        database.primary, database.servers = pair.primary, list(pair.servers.values())
        return database

    @staticmethod
    def url_of(pair):
        """Both servers, without the links between."""
        hosts = ",".join(f"127.0.0.1:{server.port}" for server in pair.servers.values())
        return f"postgres://{USER}@{hosts}/waypost"

    def start(self):
        self.primary.create().start()
        self.primary.query("CREATE DATABASE waypost")

    def stop(self):
        self.primary.stop()

    def url(self):
        return self.primary.url()

    def counters(self):
        """Seconds of the processors since the start, and where the log ends."""
        return sum(map(cpu_seconds, self.servers)), self.primary.query("SELECT pg_current_wal_lsn()")

    def since(self, before):
        """The seconds, and the bytes of the log's records without the pages that a checkpoint adds."""
        (earlier, start), (now, end) = before, self.counters()
        statistics = self.primary.run("pg_waldump", "--stats", "--path", self.primary.data / "pg_wal",
                                      "--start", start, "--end", end)
        # The total, with shares in brackets: the number of records, their bytes, the bytes of full pages.
        [total] = re.findall(r"^Total +(\d+) +(\d+) ", re.sub(r"\[.*?\]", "", statistics), re.MULTILINE)
        return {"cpu": now - earlier, "log": int(total[1])}

    def hot_share(self):
        """The share of the updates of sessions that touched no index."""
        updates, hot = self.primary.query(
            "SELECT n_tup_upd, n_tup_hot_upd FROM pg_stat_user_tables WHERE relname = 'session'", "waypost").split("|")
        return int(hot) / max(int(updates), 1)


def cpu_seconds(server):
    """User and system time of a server's processes that run now."""
    ticks = 0
    for process in [server.process.pid, *server.children()]:
        with contextlib.suppress(OSError):
            fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
            ticks += int(fields[11]) + int(fields[12])
    return ticks / TICKS_PER_SECOND
