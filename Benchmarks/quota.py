#!/usr/bin/env python3
"""Measure the service under quotas of processor time, as containers with `--cpus` have them.

    Benchmarks/quota.py .build/release/waypost

Needs root, a control group file system, wrk, and .build-bench/load of `make bench-tools`.
"""

import argparse
import json
import os
import time
from contextlib import contextmanager
from pathlib import Path

from bench.client import Client, Request
from bench.load import run_load, run_wrk
from bench.server import Server, serve_command
from bench.sessions import open_sessions, sign_up

LOAD = Path(__file__).resolve().parent.parent / ".build-bench/load"
GROUPS = Path("/sys/fs/cgroup")
PERIOD = 100_000
CONNECTIONS, RATE = 64, 2000
CASES = [
    ("no quota", None, []),
    ("1 core", 1.0, []),
    ("half a core", 0.5, []),
    ("a tenth of a core", 0.1, []),
]


@contextmanager
def limited(server, cores):
    """Holds the threads of a server to a share of the time of the cores."""
    if cores is None:
        yield
        return
    quota, pid = round(cores * PERIOD), str(server.process.pid)
    second = (GROUPS / "cgroup.controllers").exists()
    group = GROUPS / f"waypost-{pid}" if second else GROUPS / f"cpu/waypost-{pid}"
    group.mkdir()
    if second:
        (group / "cpu.max").write_text(f"{quota} {PERIOD}")
    else:
        (group / "cpu.cfs_period_us").write_text(str(PERIOD))
        (group / "cpu.cfs_quota_us").write_text(str(quota))
    (group / "cgroup.procs").write_text(pid)
    try:
        yield
    finally:
        (group.parent / "cgroup.procs").write_text(pid)
        group.rmdir()


def log_in_seconds(server):
    with Client(server) as client:
        opened = client.send(Request("POST", "/v1/sessions", body="{}")).json()
        account = {"username": "bench", "password": "correct horse battery staple"}
        request = Request(
            "POST", f"/v1/sessions/{opened['id']}/log-in", opened["token"], json.dumps(account))
        start = time.monotonic()
        client.send(request)
        return time.monotonic() - start


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("waypost", type=Path)
    binary = parser.parse_args().waypost.resolve()
    print(f"{os.cpu_count()} cores; `GET` of a session over {CONNECTIONS} connections\n")
    print(f"| quota | answers/s | p50 at {RATE:,}/s | p99 at {RATE:,}/s | a log-in |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for name, cores, options in CASES:
        with Server(serve_command(binary, "--store", "memory", *options)) as server:
            with Client(server) as client:
                credential = sign_up(client)
            requests = [each.get() for each in open_sessions(server, CONNECTIONS, credential)]
            with limited(server, cores):
                rates = [run_wrk(server.url, requests, CONNECTIONS, 2).rate for _ in range(3)]
                paced = run_load(
                    LOAD, server, [[each] for each in requests], CONNECTIONS, 3, RATE)
                log_in = log_in_seconds(server)
            print(f"| {name} | {sorted(rates)[1]:,.0f} | {paced.p50 / 1000:.1f} ms "
                  f"| {paced.p99 / 1000:.1f} ms | {log_in:.2f} s |")


if __name__ == "__main__":
    main()
