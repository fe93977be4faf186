"""The servers that run against each other."""

from dataclasses import dataclass, replace

from . import canned, checks
from .client import Client
from .server import Server, serve_command
from .sessions import Session, open_sessions, sign_up

FEW, MANY, DURABLE = 64, 100_000, 1024

WAYPOST, BARE_C, SYNCING_C = "Waypost", "bare C", "bare C, synced"


@dataclass(frozen=True)
class Contender:
    """A server that runs, and the sessions in it."""
    name: str
    server: Server
    sessions: list[Session]


class Contenders:
    """Starts all servers, opens the sessions, and checks that all answer rightly."""

    def __init__(self, waypost, tools, peers, folder):
        """
        - waypost: the release binary.
        - tools: the folder with what `make bench-tools` has built.
        - peers: the folder with the peers' sources.
        - folder: for the store and the recorded answers; on a disk, not in memory.
        """
        self._servers = []
        try:
            memory = self._start_waypost(waypost, "memory", 2 * FEW + 1)
            # The one whose answers the C server is to send does not take part.
            recorded, *sessions = memory.sessions
            self.waypost = {
                "memory": replace(memory, sessions=sessions[:FEW]),
                # Where the root is replaced, for good.
                "roots": replace(memory, sessions=sessions[FEW:]),
                "many": self._start_waypost(waypost, "memory", MANY),
            }
            durable = self._start_waypost(
                waypost, f"sqlite:{folder / 'store.sqlite'}", DURABLE + 1)
            self.waypost["durable"] = replace(durable, sessions=durable.sessions[:DURABLE])
            self.waypost["durable root"] = replace(durable, sessions=durable.sessions[DURABLE:])
            self.peers = [
                self._start_peer("Hummingbird", tools / "hummingbird2/release/Server"),
                self._start_peer("Node", "node", peers / "node/server.mjs"),
                self._start_peer("Go", tools / "go-server"),
            ]
            checks.check_same_work([*self.waypost.values(), *self.peers])
            answers = canned.record(memory.server, recorded, folder)
            self._bare_c = self._start([tools / "c-server", folder])
            self._syncing_c = self._start([tools / "c-server", folder, folder / "log"])
            canned.check(self._bare_c, recorded, answers)
        except BaseException:
            self.stop()
            raise

    def bare_c(self, sessions):
        """The C server, which answers the same for whatever sessions."""
        return Contender(BARE_C, self._bare_c, sessions)

    def syncing_c(self, sessions):
        """The C server, which also writes a page to disk for each change, and syncs it."""
        return Contender(SYNCING_C, self._syncing_c, sessions)

    def stop(self):
        """Ends all servers."""
        for server in self._servers:
            server.stop()

    def _start(self, command):
        server = Server(command)
        self._servers.append(server)
        return server

    def _start_waypost(self, binary, store, count):
        server = self._start(serve_command(binary, "--store", store))
        with Client(server) as client:
            credential = sign_up(client)
        return Contender(WAYPOST, server, open_sessions(server, count, credential))

    def _start_peer(self, name, *command):
        server = self._start(command)
        return Contender(name, server, open_sessions(server, FEW))
