"""What clients behind HAProxy see of a node that dies, a primary that is replaced, and an upgrade."""

import threading
import time

from client import GONE, Client, new_key
from nodes import Node, Proxy
from pair import Pair

from .databases import SETTINGS

STORYBOARD = {"name": "Cluster", "initialScene": "root", "scenes": {
    "root": {"kind": "blank", "title": "Root"}, "page": {"kind": "blank", "title": "Page"}}}
KINDS = ("GET", "change with a key", "change without a key")
CLIENTS = 8  # of each kind


class Pulse(threading.Thread):
    """A client that sends one kind of request again and again, and notes what comes."""

    def __init__(self, kind, port, stop):
        super().__init__(daemon=True)
        self.kind, self.stop, self.client = kind, stop, Client([port])
        opened = self.client.insist("POST", "/v1/sessions").body
        self.path, self.token = f"/v1/sessions/{opened['id']}", opened["token"]
        self.samples, self.done, self.unknown = [], 0, 0

    def run(self):
        pushes = True
        while not self.stop.is_set():
            called = time.monotonic()
            try:
                if self.kind == "GET":
                    status = self.client.call("GET", self.path, None, self.token).status
                else:
                    operation, body = ("push", {"scene": "page"}) if pushes else ("pop", {})
                    key = new_key() if self.kind == "change with a key" else None
                    status = self.client.call(
                        "POST", f"{self.path}/{operation}", body, self.token, Idempotency_Key=key).status
                    pushes = not pushes
            except GONE:
                status = None
            if self.kind != "GET":
                self.done += status == 200
                self.unknown += status != 200
            self.samples.append((called, time.monotonic(), status))

    def lost(self):
        """How many acknowledged changes the session does not have. A pop at the root is none."""
        revision = self.client.insist("GET", self.path, None, self.token).body["revision"]
        return max(self.done - (revision - 1) - self.unknown, 0) if self.kind != "GET" else 0


class Load:
    """All clients, for a while."""

    def __init__(self, proxy):
        self.stop = threading.Event()
        self.clients = [Pulse(kind, proxy.port, self.stop) for kind in KINDS for _ in range(CLIENTS)]

    def __enter__(self):
        for client in self.clients:
            client.start()
        return self

    def __exit__(self, *_):
        self.stop.set()
        for client in self.clients:
            client.join()

    def hold(self, seconds):
        self.stop.wait(seconds)

    def errors(self, kind, since):
        return sum(status != 200 for client in self.clients if client.kind == kind
                   for _, returned, status in client.samples if returned > since)

    def latency(self, start, end, share=0.99):
        values = sorted(returned - called for client in self.clients for called, returned, _ in client.samples
                        if start <= called < end)
        return values[min(int(len(values) * share), len(values) - 1)]

    def first_change(self, since):
        """When the first change that was called after that time was answered."""
        return min(returned for client in self.clients if client.kind != "GET"
                   for called, returned, status in client.samples if returned > since and status == 200)

    def lost(self):
        return sum(client.lost() for client in self.clients)


def kill_node(proxy, nodes, say):
    with Load(proxy) as load:
        load.hold(3)
        killed = time.monotonic()
        nodes[0].kill()
        load.hold(4)
    before, after = load.latency(killed - 2, killed), load.latency(killed + 1, killed + 3)
    for kind, most in zip(KINDS, (0, 0, CLIENTS)):
        errors = load.errors(kind, killed)
        say(f"a node is killed: errors of {kind}", errors, f"≤ {most}", errors <= most)
    say("a node is killed: 99th percentile before, and from a second after it", f"{before * 1e3:.1f} and {after * 1e3:.1f} ms",
        "≤ 2 × before", after <= 2 * before)
    say("a node is killed: lost changes", load.lost(), "0", load.lost() == 0)
    nodes[0].start().wait_until_ready()


def replace_primary(proxy, pair, say):
    times, lost = [], 0
    for _ in range(3):
        with Load(proxy) as load:
            load.hold(2)
            pair.primary.kill()
            pair.promote()
            load.hold(8)
        times.append(load.first_change(pair.promoted) - pair.promoted)
        pair.rejoin()
        lost += load.lost()
    say("a primary is killed: first change after the promotion of the standby, s",
        ", ".join(f"{value:.2f}" for value in times), "≤ 3", max(times) <= 3)
    say("a primary is killed: lost changes", lost, "0", lost == 0)


def replace_nodes(proxy, nodes, say):
    with Load(proxy) as load:
        started = time.monotonic()
        load.hold(2)
        for node in nodes:
            node.stop()
            node.start().wait_until_ready()
            # HAProxy asks twice before it sends requests.
            load.hold(3)
    for kind in KINDS:
        errors = load.errors(kind, started)
        goal = None if kind == KINDS[2] else "0"
        say(f"all nodes are replaced in turn: errors of {kind}", errors, goal, errors == 0)
    say("all nodes are replaced in turn: lost changes", load.lost(), "0", load.lost() == 0)


def failures(binary, folder, say):
    names = ["n1", "n2", "n3"]
    pair, proxy, nodes = Pair(folder, names, **SETTINGS), None, []
    try:
        pair.start()
        for name in names:
            nodes.append(Node(binary, folder, name, pair.url(name), ["--drain-delay", "3s"], STORYBOARD))
            nodes[-1].start().wait_until_ready()
        proxy = Proxy(folder, nodes).start()
        kill_node(proxy, nodes, say)
        replace_primary(proxy, pair, say)
        replace_nodes(proxy, nodes, say)
    finally:
        for node in nodes:
            node.stop()
        if proxy:
            proxy.stop()
        pair.stop()
