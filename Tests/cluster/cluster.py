"""Nodes on one store, HAProxy before them, and the clients that use them for a while."""

import random
import threading
import time

import checker
from client import Client
from follower import Follower
from nodes import Node, Proxy
from operations import state_of
from pair import Pair
from revocation import Revoker
from workload import PASSWORD, History, Session, Worker, read_history, read_log


FOLLOWED = 6  # hot sessions, each with a stream


class Cluster:
    """Three nodes on a pair of PostgreSQL servers; or one node on SQLite, to try the harness."""

    def __init__(self, binary, folder, is_single=False, is_synchronous=True):
        self.binary, self.folder, self.is_single = binary, folder, is_single
        names = ["n1"] if is_single else ["n1", "n2", "n3"]
        self.pair = None if is_single else Pair(folder, names, is_synchronous)
        shared = [] if is_single else ["--store-timeout", "1s"]
        self.nodes = [
            Node(binary, folder, name,
                 f"sqlite:{folder}/waypost.sqlite" if is_single else self.pair.url(name), shared)
            for name in names]
        self.proxy = Proxy(folder, self.nodes)

    def start(self):
        if self.pair:
            self.pair.start()
        # The first one makes the tables.
        for node in self.nodes:
            node.start().wait_until_ready()
        self.proxy.start()
        return self

    def stop(self):
        try:
            for node in self.nodes:
                node.stop()
        finally:
            for node in self.nodes:
                if node.process and node.process.poll() is None:
                    node.kill()
            if self.proxy.process:
                self.proxy.stop()
            if self.pair:
                self.pair.stop()

    @property
    def ports(self):
        return [node.port for node in self.nodes]


class Epoch:
    """One stretch of time with sessions of its own, in which one kind of thing goes wrong."""

    def __init__(self, cluster, name, seed, clients=12, hot=16, cold=32, pause=0.01):
        """`pause`: how long a client waits after a response, at most, so that the servers get the processor."""
        self.cluster, self.name, self.seed = cluster, name, seed
        self.clients, self.counts, self.pause = clients, (hot, cold), pause
        self.history, self.ending = History(), threading.Event()
        self.generator = random.Random(f"{seed}/{name}")

    def open(self):
        client = Client(self.cluster.ports)
        # An account for each epoch: its credential stays good.
        visitor = Session(client.insist("POST", "/v1/sessions").body)
        credential = client.insist("POST", f"{visitor.path}/sign-up", {
            "username": f"main-{self.name}-{self.seed}"[:60], "password": PASSWORD}, visitor.token).body["credential"]
        self.sessions = [
            [Session(client.insist("POST", "/v1/sessions", {"credential": credential}).body) for _ in range(count)]
            for count in self.counts]
        self.workers = []
        for number in range(self.clients):
            # Half of the clients come past HAProxy, so that a session is changed on all nodes at once.
            ports = [self.cluster.proxy.port] if number % 2 else self.cluster.ports
            self.workers.append(Worker(
                self.history, self.sessions, ports, f"client-{number}", self.seed, self.ending, self.pause))
        self.workers.append(Revoker(self.history, self.cluster.ports, self.name, self.seed, self.ending))
        hot = self.sessions[0]
        self.followers = [Follower(self.history, session, self.cluster.ports, number)
                          for number, session in enumerate(hot[:FOLLOWED])]
        for thread in [*self.workers, *self.followers]:
            thread.start()

    def hold(self, least, most=None):
        """Lets the clients go on for some seconds."""
        self.history.wait(10**9, self.generator.uniform(least, most or least))

    def expect_progress(self, count=200, seconds=60):
        """Fails if the clients are not answered any more."""
        before = time.monotonic()
        if not self.history.wait(count, seconds):
            self.history.fail(f"{self.name}: fewer than {count} operations succeeded within {seconds} s")
        return time.monotonic() - before

    def close(self):
        """Ends the clients, reads all sessions on all nodes, and returns the violations."""
        self.ending.set()
        for worker in self.workers:
            worker.join(200)
            if worker.is_alive():
                self.history.fail(f"{worker.name} does not end")
        self.logs, self.finals, self.histories, found = {}, {}, {}, []
        client = Client(self.cluster.ports)
        for session in sum(self.sessions, []):
            try:
                # One session that cannot be read is enough: the others need not be waited for.
                self.read_last(client, session, 1 if found else 20)
            except RuntimeError as error:
                self.finals.pop(session.id, None)
                found.append(checker.Violation(1, session.id, f"the last read failed: {error}"))
        found += self.end_streams()
        return found + checker.check(self.history.records, self.logs, self.finals, self.histories)

    def end_streams(self):
        """Each stream comes to the last revision, also if another node has made it."""
        found = []
        for follower in self.followers:
            final = self.finals.get(follower.session.id)
            if final and not follower.wait(final["at"], 20):
                found.append(checker.Violation(4, follower.session.id, (
                    f"the stream stays at revision {follower.revision}, and the session is at {final['at']}")))
        for follower in self.followers:
            follower.ending.set()
        for follower in self.followers:
            follower.join(30)
        return found

    def read_last(self, client, session, seconds):
        """The session on each node, its log and its history."""
        for _ in self.cluster.ports:
            client.turn()
            called = time.monotonic()
            state = state_of(client.insist("GET", session.path, None, session.token, seconds=seconds).body)
            self.finals[session.id] = {"client": "final", "session": session.id, "op": "final", "outcome": "ok",
                                       "called": called, "returned": time.monotonic()} | state
            self.history.note(self.finals[session.id])
        self.logs[session.id] = read_log(client, session, seconds)
        self.histories[session.id] = read_history(client, session, seconds)

    def numbers(self):
        """How many operations were done, how many were refused, and how many have no response."""
        outcomes = [record["outcome"] for record in self.history.records]
        return {name: outcomes.count(name) for name in ("ok", "refused", "maybe")}
