"""Two PostgreSQL servers, one the synchronous standby of the other, behind links that can fail."""

import time
import urllib.parse

from link import Links
from postgres import USER, Postgres, free_port


class Pair:
    """A primary and its standby. A failover promotes the standby, and the two change places.

    Each node has a link to each server, `n1-a`, and each server one for those that follow it, `follow-a`.
    Only the standby that the primary names may acknowledge a commit, and only that one is promoted.
    """

    def __init__(self, folder, nodes, is_synchronous=True, **settings):
        self.is_synchronous = is_synchronous
        self.servers = {name: Postgres(folder, name, **settings) for name in "ab"}
        self.primary, self.standby = self.servers.values()
        self.ports, self.promoted = {}, None
        for server in self.servers.values():
            for name in [*nodes, "follow"]:
                self.ports[f"{name}-{server.name}"] = free_port(), server.port
        self.links = Links(self.ports)

    def start(self):
        self.primary.create().start()
        self.primary.query("CREATE DATABASE waypost")
        self.standby.copy(self.primary.port)
        self.follow()
        return self

    def follow(self):
        """Starts the standby, and has the primary wait for it if the pair is a synchronous one."""
        self.standby.start(follows=self.ports[f"follow-{self.primary.name}"][0])
        self.primary.wait_until(lambda: self.state() is not None, "has a standby")
        if self.is_synchronous:
            self.primary.set(synchronous_standby_names=f"FIRST 1 ({self.standby.name})")
            self.primary.wait_until(lambda: self.state() == "sync", "has a synchronous standby")

    def state(self):
        """How the standby follows; None if it does not stream."""
        return self.primary.query(
            "SELECT sync_state FROM pg_stat_replication WHERE state = 'streaming'"
            f" AND application_name = '{self.standby.name}'") or None

    def promote(self):
        """Makes the standby the primary. The old one is not asked, and may still run."""
        old, new = self.primary, self.standby
        new.settings["synchronous_standby_names"] = ""
        new.promote()
        self.promoted = time.monotonic()
        # The old primary's settings came with the copy, and pg_rewind reads the timeline from the checkpoint.
        new.set(synchronous_standby_names="")
        new.query("CHECKPOINT")
        self.primary, self.standby = new, old

    def rejoin(self):
        """Makes the old primary the standby of the new one."""
        self.standby.kill()
        try:
            self.standby.rewind(self.primary.port)
        except RuntimeError:
            self.standby.copy(self.primary.port)
        self.follow()

    def url(self, node, database="waypost"):
        hosts = ",".join(f"127.0.0.1:{self.ports[f'{node}-{name}'][0]}" for name in self.servers)
        return f"postgres://{USER}@{hosts}/{urllib.parse.quote(database)}"

    def wait_for_standby(self, seconds=30):
        """Returns when the standby has all that the primary has written."""
        deadline = time.monotonic() + seconds
        self.primary.wait_until(
            lambda: self.primary.query("SELECT replay_lsn = pg_current_wal_lsn() FROM pg_stat_replication") == "t"
            or time.monotonic() > deadline, "has all on the standby")

    def stop(self):
        for server in self.servers.values():
            server.stop()
        self.links.stop()
