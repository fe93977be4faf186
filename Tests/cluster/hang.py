"""A database that hangs, and a primary that is replaced while it hangs: how long requests take, and what they are told.

While the primary or its synchronous standby stands still, nothing can be committed. Each request must still be
answered in time and truly, the probes of an orchestrator must know, and all must be well soon after the return.
"""

import http.client
import random
import re
import threading
import time
import types

from checker import Violation
from client import GONE, Client
from cluster import Epoch
from nodes import Node
from workload import CHANGES, PASSWORD, Session

LIMIT = 6  # seconds: for a request, until requests are refused at once, and for all to be well after the return
SILENCE = 4  # seconds for /readyz to say no
QUICK = 1.5  # seconds for a request that is refused at once
GAP = 2  # seconds from a promotion to the first acknowledged change
CLIENTS = 32


class Timings:
    """How long each request took, and the code of its problem."""

    def __init__(self):
        self.lock, self.requests = threading.Lock(), []

    def note(self, started, method, path, response):
        entry = types.SimpleNamespace(
            started=started, ended=time.monotonic(), method=method, path=path,
            status=response.status if response else None,
            code=response.body.get("code") if response and isinstance(response.body, dict) else None)
        with self.lock:
            self.requests.append(entry)


class Probe(threading.Thread):
    """Asks one node for /livez, /metrics and /readyz all the time, each on a connection of its own."""

    def __init__(self, node):
        super().__init__(daemon=True)
        self.node, self.ending = node, threading.Event()
        self.answers, self.readiness = [], []

    def run(self):
        while not self.ending.wait(0.1):
            for path in ("/livez", "/metrics", "/readyz"):
                started, status = time.monotonic(), self.ask(path)
                if path == "/readyz":
                    self.readiness.append((started, status))
                else:
                    self.answers.append((path, status, time.monotonic() - started))

    def ask(self, path):
        connection = http.client.HTTPConnection("127.0.0.1", self.node.port, timeout=LIMIT)
        try:
            connection.request("GET", path)
            response = connection.getresponse()
            response.read()
            return response.status
        except GONE:
            return None
        finally:
            connection.close()

    def first(self, status, after):
        """The time of the first such answer of /readyz."""
        return min((time for time, found in self.readiness if found == status and time >= after), default=None)


class Visitor(threading.Thread):
    """Does all that the other clients do not: it signs up, logs in, lists, forks and reads histories."""

    def __init__(self, ports, seed, number, ending):
        super().__init__(daemon=True)
        self.client, self.ending = Client(ports, number), ending
        self.name, self.rounds = f"visitor-{number}-{seed}", 0

    def run(self):
        while not self.ending.is_set():
            try:
                self.visit()
            except GONE:
                pass  # the timings have it
            self.client.turn()
            self.ending.wait(0.05)

    def visit(self):
        self.rounds += 1
        opened = self.client.call("POST", "/v1/sessions")
        if opened.status != 201:
            return
        session = Session(opened.body)
        account = {"username": f"{self.name}-{self.rounds}", "password": PASSWORD}
        signed_up = self.client.call("POST", f"{session.path}/sign-up", account, session.token)
        if signed_up.status != 200:
            return
        credential = signed_up.body["credential"]
        for path in ("/v1/account/sessions", "/v1/account/credentials"):
            self.client.call("GET", path, None, credential)
        self.client.call("GET", f"{session.path}/history", None, session.token)
        self.client.call("POST", "/v1/sessions", {"fork": {"session": session.id}}, session.token)
        self.client.call("POST", f"{session.path}/log-out", {}, session.token)
        self.client.call("POST", f"{session.path}/log-in", account, session.token)


class Stage:
    """Two nodes with the default --store-timeout, on a database of their own, and their clients."""

    def __init__(self, cluster, name, seed):
        self.cluster, self.name, self.seed = cluster, name, seed
        database = name.replace("-", "_")
        cluster.pair.primary.query(f"CREATE DATABASE {database}")
        self.nodes = [Node(cluster.binary, cluster.folder, f"{name}-{node.name}",
                           cluster.pair.url(node.name, database), ["--store-timeout", "5s"])
                      for node in cluster.nodes[:2]]
        self.ports, self.pair = [node.port for node in self.nodes], cluster.pair
        # Directly: a proxy would keep some of the responses to itself.
        self.proxy = self.nodes[0]
        self.timings, self.found = Timings(), []
        self.probes = [Probe(node) for node in self.nodes]

    def fail(self, text, number=7):
        self.found.append(Violation(number, self.name, text))

    def run(self, act):
        """Runs the clients while `act` does something; returns what they were told that they must not be told."""
        epoch = Epoch(self, self.name, self.seed, clients=CLIENTS)
        visitors, probes = [], self.probes
        try:
            for node in self.nodes:
                node.start().wait_until_ready()
            epoch.open()
            # One: with more, the hashing of their passwords takes all processors of a small machine.
            visitors = [Visitor(self.ports, self.seed, 0, epoch.ending)]
            for thread in [*epoch.workers, *visitors]:
                thread.client.observe = self.timings.note
            for thread in [*visitors, *probes]:
                thread.start()
            epoch.expect_progress()
            act(epoch)
            epoch.expect_progress()
            violations = epoch.close()
            for thread in [*visitors, *probes]:
                thread.ending.set()
                thread.join(30)
            self.check_answers()
            self.check_metric()
        finally:
            epoch.ending.set()
            for probe in probes:
                probe.ending.set()
            for node in self.nodes:
                node.stop()
        self.found += [Violation(7, self.name, failure) for failure in epoch.history.failures]
        return epoch, violations + self.found

    def check_answers(self):
        """Each request was answered in time, no read changed anything, and the probes were always answered."""
        for request in self.timings.requests:
            duration = request.ended - request.started
            if request.status is None or duration > LIMIT:
                self.fail(f"{request.method} {request.path} got {request.status} after {duration:.1f} s")
            if request.method == "GET" and request.code == "outcome-unknown":
                self.fail(f"GET {request.path} got outcome-unknown")
            if request.code == "timed-out":
                self.fail(f"{request.method} {request.path} got timed-out")
        for probe in self.probes:
            for path, status, duration in probe.answers:
                if status != 200 or duration > QUICK:
                    self.fail(f"{path} of {probe.node.name} got {status} after {duration:.1f} s")

    def check_metric(self):
        """The metric of the nodes counts each response `outcome-unknown`."""
        seen = sum(request.code == "outcome-unknown" for request in self.timings.requests)
        counted = 0
        for port in self.ports:
            text = Client([port]).call("GET", "/metrics").content.decode()
            counted += int(re.search(r"^waypost_store_outcomes_unknown_total (\d+)$", text, re.MULTILINE)[1])
        self.unknown = seen
        if seen != counted:
            self.fail(f"{seen} responses outcome-unknown, and waypost_store_outcomes_unknown_total is {counted}")

    def slowest(self):
        """The longest time of a request, and which one it was."""
        request = max(self.timings.requests, key=lambda request: request.ended - request.started)
        name = request.path.rpartition("/")[2] if request.method == "POST" else "a session"
        return f"{request.ended - request.started:.2f} s ({request.method} {name})"


def hang(cluster, seed, seconds, which):
    """The primary or the synchronous standby stands still for some seconds. Returns the violations."""
    stage = Stage(cluster, f"hung-{which}", seed)
    server = getattr(cluster.pair, which)
    times = types.SimpleNamespace()

    def act(epoch):
        times.stopped = time.monotonic()
        server.pause()
        try:
            threading.Event().wait(seconds)
        finally:
            times.returned = time.monotonic()
            server.go_on()
        # Long enough to see that all is well again.
        threading.Event().wait(LIMIT + 2)

    epoch, found = stage.run(act)
    if epoch.history.failures:
        return found
    check = []
    for probe in stage.probes:
        no, yes = probe.first(503, times.stopped), probe.first(200, times.returned)
        if no is None or no > times.stopped + SILENCE:
            check.append(f"/readyz of {probe.node.name} did not say no within {SILENCE} s")
        if yes is None or yes > times.returned + LIMIT:
            check.append(f"/readyz of {probe.node.name} did not say yes within {LIMIT} s of the return")
        times.no = max(getattr(times, "no", 0), no or 0)
        times.yes = max(getattr(times, "yes", 0), yes or 0)
    for request in stage.timings.requests:
        duration = request.ended - request.started
        if times.stopped + LIMIT < request.started < times.returned - QUICK and duration > QUICK:
            check.append(f"{request.method} {request.path} waited {duration:.1f} s, {LIMIT} s after the stop")
        if request.started > times.returned + LIMIT and request.status is not None and request.status >= 500:
            check.append(f"{request.method} {request.path} got {request.code} {LIMIT} s after the return")
    acknowledged = first_change(epoch, times.returned)
    codes = {code: sum(request.code == code for request in stage.timings.requests)
             for code in ("storage-unavailable", "outcome-unknown")}
    print(f"{stage.name}: {seconds} s, {len(stage.timings.requests)} requests, the slowest {stage.slowest()};"
          f" /readyz 503 after {times.no - times.stopped:.2f} s, 200 {times.yes - times.returned:.2f} s after the"
          f" return, first change after {acknowledged - times.returned:.2f} s; {codes['storage-unavailable']}"
          f" storage-unavailable, {codes['outcome-unknown']} outcome-unknown; {len(found) + len(check)} violations",
          flush=True)
    return found + [Violation(7, stage.name, text) for text in check]


def first_change(epoch, after):
    return min((record["returned"] for record in epoch.history.records
                if record["op"] in CHANGES and record["outcome"] == "ok" and record["returned"] > after),
               default=float("inf"))


def replace(cluster, seed, how):
    """The primary is stopped (`pause`) or dies (`kill`), and the standby is promoted. Returns the violations."""
    stage = Stage(cluster, f"replaced-{how}", seed)
    pair, times = cluster.pair, types.SimpleNamespace()

    def act(epoch):
        getattr(pair.primary, how)()
        threading.Event().wait(random.Random(f"{seed}/{how}").uniform(0.5, 3))
        pair.promote()
        threading.Event().wait(GAP + 3)
        times.gap = first_change(epoch, pair.promoted) - pair.promoted
        pair.rejoin()

    _, found = stage.run(act)
    print(f"{stage.name}: first change {times.gap:.2f} s after the promotion, {len(found)} violations", flush=True)
    if times.gap > GAP:
        found.append(Violation(7, stage.name, f"the first change came {times.gap:.2f} s after the promotion"))
    return found
