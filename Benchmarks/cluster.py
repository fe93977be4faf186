#!/usr/bin/env python3
"""Measure the PostgreSQL store beside SQLite and memory, and what clients see of failures.

    Benchmarks/cluster.py .build/release/waypost [--rounds 5] [--only rates|affinity|failures]

Needs wrk, HAProxy and PostgreSQL; all run on this machine and share its cores. Runs of the stores are
interleaved, and a ratio is the median of the ratios of the rounds. Figures with a goal are printed with
it; a missed goal is marked and does not end the run.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "Tests/cluster"))

from bench.client import Client, Request  # noqa: E402
from bench.databases import SETTINGS, Database  # noqa: E402
from bench.failures import failures  # noqa: E402
from bench.load import run_wrk  # noqa: E402
from bench.server import Server, serve_command  # noqa: E402
from bench.sessions import open_sessions, push_and_pop, return_to_root  # noqa: E402
from nodes import Node, Proxy  # noqa: E402
from pair import Pair  # noqa: E402

TOOLS = HERE.parent / ".build-bench"
SESSIONS, SECONDS = 1024, 3
STORYBOARD = {"name": "Cluster", "initialScene": "root", "scenes": {
    "root": {"kind": "blank", "title": "Root"}, "page": {"kind": "blank", "title": "Page"}}}


def say(name, value, goal=None, met=True):
    """A row of the table of figures."""
    print(f"| {name} | {value} | {goal or ''} | {'' if goal is None else 'yes' if met else 'NO'} |", flush=True)


def at_least(name, value, goal, form="{:.2f}"):
    say(name, form.format(value), "≥ " + form.format(goal), value >= goal)


def at_most(name, value, goal, form="{:.2f}"):
    say(name, form.format(value), "≤ " + form.format(goal), value <= goal)


class Contender:
    """A service on one kind of store, with sessions."""

    def __init__(self, name, binary, folder, store, database=None):
        self.name, self.database, self.samples = name, database, {}
        self.server = Server(serve_command(
            binary, "--store", store, "--storyboard", f"{folder}/storyboard.json", "--inspector", "off",
            "--log-level", "error"))
        with Client(self.server) as client:
            client.send(Request("GET", "/readyz"))
        self.sessions = open_sessions(self.server, SESSIONS)

    def measure(self, scenario, requests, connections):
        # Reads write no log.
        before = self.database and scenario[0] == "push pop" and self.database.counters()
        result = run_wrk(self.server.url, requests, connections, SECONDS)
        sample = {"rate": result.rate}
        if before:
            sample |= {name: value / result.answers for name, value in self.database.since(before).items()}
        self.samples.setdefault(scenario, []).append(sample)

    def median(self, scenario, figure="rate"):
        return statistics.median(sample[figure] for sample in self.samples[scenario])

    def ratio(self, scenario, other):
        return statistics.median(
            own["rate"] / peer["rate"] for own, peer in zip(self.samples[scenario], other.samples[scenario]))


def rates(binary, folder, rounds):
    """Changes and reads a second on each store, and what they cost PostgreSQL."""
    (folder / "storyboard.json").write_text(json.dumps(STORYBOARD))
    alone, pair = Database(folder, "alone"), Pair(folder, ["bench"], **SETTINGS)
    contenders = []
    try:
        alone.start()
        pair.start()
        for name, store, database in [
                ("memory", "memory", None), ("SQLite", f"sqlite:{folder}/store.sqlite", None),
                ("PostgreSQL", alone.url(), alone),
                # Straight to the servers: the links are for tests.
                ("PostgreSQL with a standby", Database.url_of(pair), Database.of(pair))]:
            contenders.append(Contender(name, binary, folder, store, database))
        for number in range(rounds):
            for scenario, connections in (("push pop", 256), ("push pop", 1), ("GET session", 64)):
                for contender in contenders:
                    print(f"round {number + 1} of {rounds}: {scenario}, {connections}: {contender.name}", file=sys.stderr)
                    requests = ([session.get() for session in contender.sessions] if scenario == "GET session"
                                else list(push_and_pop(contender.sessions, "page", chunk=256)))
                    contender.measure((scenario, connections), requests, connections)
                    if scenario == "push pop":
                        return_to_root(contender.server, contender.sessions)
        report(*contenders)
    finally:
        for contender in contenders:
            contender.server.stop()
        alone.stop()
        pair.stop()


def report(memory, sqlite, alone, pair):
    busy, single, read = ("push pop", 256), ("push pop", 1), ("GET session", 64)
    for contender in (memory, sqlite, alone, pair):
        for scenario, connections in (busy, single, read):
            say(f"{scenario}, {connections} connections: {contender.name}",
                f"{contender.median((scenario, connections)):.0f}/s")
    at_least("push pop, 256 connections: PostgreSQL / SQLite", alone.ratio(busy, sqlite), 0.50)
    at_least("push pop, 256 connections: with a standby / SQLite", pair.ratio(busy, sqlite), 0.35)
    at_least("push pop, 1 connection: PostgreSQL, a second", alone.median(single), 1000, "{:.0f}")
    at_least("push pop, 1 connection: with a standby, a second", pair.median(single), 700, "{:.0f}")
    at_least("GET session, 64 connections: PostgreSQL / memory", alone.ratio(read, memory), 0.45)
    at_least("GET session, 64 connections: with a standby / memory", pair.ratio(read, memory), 0.30)
    at_most("processor time of PostgreSQL for a change, µs", alone.median(busy, "cpu") * 1e6, 30, "{:.1f}")
    at_most("the same with a standby, both servers, µs", pair.median(busy, "cpu") * 1e6, 40, "{:.1f}")
    at_most("log for a change without full pages, bytes", alone.median(busy, "log"), 1600, "{:.0f}")
    at_least("updates of sessions that are HOT", min(
        contender.database.hot_share() for contender in (alone, pair)), 0.98, "{:.3f}")


def affinity(binary, folder, rounds):
    """Two nodes and 64 sessions that all change: HAProxy's hash, and requests to the nodes by turns."""
    database, nodes, proxies = Database(folder, "shared"), [], []
    samples = {True: [], False: []}
    try:
        database.start()
        for name in ("n1", "n2"):
            nodes.append(Node(binary, folder, name, database.url(), storyboard=STORYBOARD))
            nodes[-1].start().wait_until_ready()
        for has_affinity in (True, False):
            proxies.append(Proxy(folder, nodes, has_affinity).start())
        targets = [Target(proxy.port) for proxy in proxies]
        sessions = open_sessions(targets[0], 64)
        requests = list(push_and_pop(sessions, "page", chunk=64))
        for number in range(rounds):
            for has_affinity, target in zip((True, False), targets):
                print(f"round {number + 1} of {rounds}: affinity {has_affinity}", file=sys.stderr)
                # Any response 503 `busy` ends the run.
                samples[has_affinity].append(run_wrk(target.url, requests, 64, SECONDS).rate)
                return_to_root(targets[0], sessions)
    finally:
        for proxy in proxies:
            proxy.stop()
        for node in nodes:
            node.stop()
        database.stop()
    say("push pop, 64 sessions on 2 nodes, with affinity", f"{statistics.median(samples[True]):.0f}/s")
    at_least("the same without affinity / with it, and no response `busy`", statistics.median(
        without / with_it for without, with_it in zip(samples[False], samples[True])), 0.5)


@dataclass(frozen=True)
class Target:
    """Where clients go, as `Server` says it."""
    port: int
    host: str = "127.0.0.1"

    @property
    def url(self):
        return f"http://{self.host}:{self.port}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("waypost", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", choices=["rates", "affinity", "failures"])
    options = parser.parse_args()
    binary = str(options.waypost.resolve())
    TOOLS.mkdir(exist_ok=True)
    print("| figure | value | goal | met |\n| --- | --- | --- | --- |")
    for part in (rates, affinity, failures):
        if options.only in (None, part.__name__):
            # Beside the build, as /tmp may be memory, where a sync costs nothing.
            with tempfile.TemporaryDirectory(dir=TOOLS) as folder:
                # PostgreSQL's user has to come through.
                os.chmod(folder, 0o755)
                if part is failures:
                    part(binary, Path(folder), say)
                else:
                    part(binary, Path(folder), options.rounds)


if __name__ == "__main__":
    main()
