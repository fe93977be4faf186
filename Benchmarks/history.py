#!/usr/bin/env python3
"""Measures what the history of sessions costs.   history.py WAYPOST [--rounds 9]

- rate: durable pushes and pops with the history, to those without it; interleaved rounds, and the
  processor time and the bytes written as well, which say more where other programs run on the machine,
- bytes: what a push takes in the history, with the complete states in between, and what it takes alone,
- looking back: a revision about 10,000 changes back, from request to response.
"""

import argparse
import random
import sqlite3
import statistics
import sys
import tempfile
import threading
import time
from contextlib import closing
from pathlib import Path

from bench.client import Client, Request
from bench.server import Server, serve_command
from bench.sessions import open_sessions, push_and_pop, sign_up

CLIENTS, SESSIONS, REPEATS, BACK, READS = 16, 512, 6, 10_000, 500


def change(server, parts):
    """Pushes onto each session and pops from it again and again, with a client for each part."""
    def work(part):
        with Client(server) as client:
            for _ in range(REPEATS):
                for request in push_and_pop(part, chunk=len(part)):
                    client.send(request)

    threads = [threading.Thread(target=work, args=(part,)) for part in parts]
    started, used, written = time.monotonic(), server.cpu_seconds(), bytes_written(server)
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    count = 2 * REPEATS * sum(map(len, parts))
    return (count / (time.monotonic() - started), count / (server.cpu_seconds() - used),
            (bytes_written(server) - written) / count)


def bytes_written(server):
    fields = Path(f"/proc/{server.process.pid}/io").read_text().split()
    return int(fields[fields.index("write_bytes:") + 1])


def rates(waypost, folder, rounds):
    servers, parts = [], []
    try:
        for retention in ("10000", "0"):
            server = Server(serve_command(
                waypost, "--store", f"sqlite:{folder}/rate-{retention}.sqlite",
                "--history-retention", retention, "--access-log", "off"))
            servers.append(server)
            with Client(server) as client:
                sessions = open_sessions(server, SESSIONS, sign_up(client))
            parts.append([sessions[first::CLIENTS] for first in range(CLIENTS)])
        ratios = []
        for number in range(-1, rounds):
            order = (0, 1) if number % 2 else (1, 0)
            found = {index: change(servers[index], parts[index]) for index in order}
            # In the first round each session gets its first complete state.
            if number >= 0:
                ratios.append([found[0][part] / found[1][part] for part in (0, 1, 2)])
        return zip(*ratios)
    finally:
        for server in servers:
            server.stop()


def looking_back(waypost, folder):
    """Returns the bytes of a push with and without the complete states, and the times of reads."""
    store = Path(folder, "back.sqlite")
    generator = random.Random(1)
    with Server(serve_command(
            waypost, "--store", f"sqlite:{store}", "--durability", "relaxed",
            "--history-retention", str(2 * BACK), "--access-log", "off")) as server:
        with Client(server) as client:
            [session] = open_sessions(server, 1, sign_up(client))
            scene = '{"scene": "books", "parameters": {"author": "charles-dickens"}}'
            push = Request("POST", f"{session.path}/push", session.token, scene)
            for _ in client.send_all([push, session.pop()] * ((BACK + 200) // 2)):
                pass
            times = []
            for _ in range(READS):
                read = session.get(f"?revision={generator.randrange(50, 200)}")
                started = time.monotonic()
                client.send(read)
                times.append(time.monotonic() - started)
    with closing(sqlite3.connect(store)) as file:
        [(older,)] = file.execute("SELECT sum(length(records)) FROM log")
        [(tail, last)] = file.execute("SELECT length(tail), revision FROM session WHERE revision > 1000")
    return (older + tail) / (last - 1), times


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("waypost")
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        for name, ratios in zip(("rate", "changes in a second of processor time", "bytes written for a change"),
                                rates(options.waypost, folder, options.rounds)):
            print(f"{name}, with the history to without it: {statistics.median(ratios):.3f} "
                  f"({min(ratios):.3f} to {max(ratios):.3f})", flush=True)
        size, times = looking_back(options.waypost, folder)
        print(f"bytes of a change, pushes and pops in turns, with the complete states between them: {size:.1f}")
        times.sort()
        print(f"a revision {BACK:,} changes back: median {1000 * times[len(times) // 2]:.2f} ms, "
              f"p99 {1000 * times[len(times) * 99 // 100]:.2f} ms")


if __name__ == "__main__":
    sys.exit(main())
