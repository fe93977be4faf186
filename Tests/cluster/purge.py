"""Sessions that live for two seconds, on nodes that purge: none ends early, and none is found after its end."""

import datetime
import random
import threading
import time

from checker import Violation
from client import GONE, Client
from nodes import Node
from operations import outcome_of
from workload import History, Session

LIFE, MARGIN = 2, 0.2
CLIENTS = 12


class Visitor(threading.Thread):
    """Opens a session, changes it as long as it pleases, comes back too late, and opens another one."""

    def __init__(self, history, ports, seed, number, end):
        super().__init__(daemon=True)
        self.history, self.end = history, end
        self.generator = random.Random(f"{seed}/purge/{number}")
        self.client = Client(ports, number)
        self.found, self.visits, self.lives = [], 0, 0

    def run(self):
        try:
            while time.monotonic() < self.end:
                self.live(Session(self.client.insist("POST", "/v1/sessions").body))
        except Exception as error:  # noqa: BLE001, a defect of the test must not look like silence
            self.history.fail(f"visitor: {error!r}")

    def live(self, session):
        expires = time.time() + LIFE
        self.lives += 1
        while time.monotonic() < self.end:
            # Often in time, sometimes late; some wait until the purge has been there.
            late = self.generator.random() < 0.2
            self.hold(self.generator.uniform(2.3, 4) if late else self.generator.uniform(0.1, 1.9))
            called = time.time()
            try:
                response = self.client.call(
                    "PATCH", f"{session.path}/view-controllers/vc1", {"title": str(called)}, session.token)
            except GONE:
                return
            self.client.turn()
            self.visits += 1
            outcome = outcome_of(response.status, response.body)
            if outcome == "gone":
                if time.time() < expires - MARGIN:
                    self.fail(session, f"it was gone {expires - time.time():.3f} s before its end")
                return
            if outcome != "ok":
                return
            if called > expires + MARGIN:
                self.fail(session, f"it was found {called - expires:.3f} s after its end")
            expires = seconds_of(response.body["session"]["expiresAt"])

    def fail(self, session, text):
        self.found.append(Violation(4, session.id, text))

    def hold(self, seconds):
        threading.Event().wait(seconds)


def seconds_of(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def purge(cluster, seed, seconds=12):
    """Runs two nodes more, on a database of their own; returns how much was done, and the violations."""
    cluster.pair.primary.query("CREATE DATABASE purged")
    nodes = [Node(cluster.binary, cluster.folder, f"purger-{node.name}", cluster.pair.url(node.name, "purged"),
                  ["--session-ttl", f"{LIFE}s"]) for node in cluster.nodes[:2]]
    history = History()
    try:
        for node in nodes:
            node.start().wait_until_ready()
        visitors = [Visitor(history, [node.port for node in nodes], seed, number, time.monotonic() + seconds)
                    for number in range(CLIENTS)]
        for visitor in visitors:
            visitor.start()
        for visitor in visitors:
            visitor.join(120)
    finally:
        for node in nodes:
            node.stop()
    found = sum((visitor.found for visitor in visitors), [])
    found += [Violation(7, "purge", failure) for failure in history.failures]
    print(f"purge: {sum(visitor.lives for visitor in visitors)} sessions, {sum(visitor.visits for visitor in visitors)}"
          f" visits, {len(found)} violations, {seconds} s", flush=True)
    return found
