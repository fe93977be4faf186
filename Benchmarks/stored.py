#!/usr/bin/env python3
"""Measure what a million stored sessions cost those that are in use.

    Benchmarks/stored.py .build/release/waypost [--stored 1000000]

1,000 sessions are changed (push and pop by turns, each commit synced) by 32 connections, first with
1,000 sessions in the store and then with as many as said; interleaved, as the machine's mood
changes. Printed: the cost of a change as a ratio, the time from start to ready, and the memory.
"""

import argparse
import json
import shutil
import sqlite3
import statistics
import sys
import tempfile
from contextlib import closing
from pathlib import Path

from bench.client import Client, Request
from bench.load import run_wrk
from bench.server import Server, serve_command
from bench.sessions import open_sessions, push_and_pop

IN_USE, CONNECTIONS, SECONDS, ROUNDS = 1000, 32, 3, 3

STORYBOARD = {"name": "Stored", "initialScene": "root", "scenes": {
    "root": {"kind": "blank", "title": "Root"}, "page": {"kind": "blank", "title": "Page"}}}


def start(binary, folder):
    """The service on the store of that folder, ready."""
    server = Server(serve_command(
        binary, "--store", f"sqlite:{folder}/store.sqlite",
        "--storyboard", f"{folder}/storyboard.json"))
    with Client(server) as client:
        client.send(Request("GET", "/readyz"))
    return server


def stop(server):
    """Ends the service, which must have closed its store."""
    if (code := server.stop()) != 0:
        sys.exit(f"the service exited with {code}")


def make(binary, folder):
    """A store with the sessions in use; returns them."""
    folder.mkdir()
    (folder / "storyboard.json").write_text(json.dumps(STORYBOARD))
    server = start(binary, folder)
    sessions = open_sessions(server, IN_USE)
    stop(server)
    return sessions


def fill(folder, stored):
    """Adds copies of a session, with ids and logs of their own, all between those in use."""
    # The inner one commits, the outer one closes: an open connection would keep the service out.
    with closing(sqlite3.connect(folder / "store.sqlite")) as database, database:
        columns = [row[1] for row in database.execute("PRAGMA table_info(session)")]
        names = ", ".join(name for name in columns if name not in ("number", "id"))
        distance = stored // IN_USE
        # Through negative numbers, as a row may not have the number of another on the way.
        database.execute(f"UPDATE session SET number = -number * {distance}")
        database.execute("UPDATE session SET number = -number")
        database.execute(f"""
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {stored})
            INSERT INTO session (number, id, {names}) SELECT i, randomblob(16), {names}
            FROM n, (SELECT * FROM session LIMIT 1) WHERE i % {distance} != 0""")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("waypost")
    parser.add_argument("--stored", type=int, default=1_000_000)
    options = parser.parse_args()
    if options.stored % IN_USE or options.stored < 2 * IN_USE:
        parser.error(f"--stored must be a multiple of {IN_USE}, and twice that at least")
    with tempfile.TemporaryDirectory() as name:
        few, many = Path(name, "few"), Path(name, "many")
        requests = list(push_and_pop(make(options.waypost, few), "page", chunk=256))
        shutil.copytree(few, many, ignore=shutil.ignore_patterns("*.socket"))
        fill(many, options.stored)
        rates = {few: [], many: []}
        ready, memory = [], []
        for _ in range(ROUNDS):
            for folder in (few, many):
                server = start(options.waypost, folder)
                rates[folder].append(run_wrk(server.url, requests, CONNECTIONS, SECONDS).rate)
                if folder is many:
                    ready.append(server.seconds_to_ready)
                    memory.append(server.resident_memory() / 2**20)
                stop(server)
        ratio = statistics.median(rates[few]) / statistics.median(rates[many])
        print(f"stored sessions              {options.stored:,}, {IN_USE:,} of them in use")
        print(f"cost of a change             {ratio:.2f} x that with {IN_USE:,} stored")
        print(f"changes a second             {statistics.median(rates[many]):.0f}, each synced")
        print(f"start to ready               {max(ready):.2f} s")
        print(f"resident memory              {max(memory):.0f} MB")


if __name__ == "__main__":
    sys.exit(main())
