#!/usr/bin/env python3
"""Measure what a session costs that has to be read from the store first.

    Benchmarks/cold.py .build/release/waypost [--stored 100000]

Sessions are read (GET) by 64 connections, with room for 1,000 in memory: first 500 that stay there, then
all that are stored, in a random order; interleaved, as the machine's mood changes. Printed: the medians
of the rates and of the processor time of a read, and their ratios.
"""

import argparse
import random
import statistics
import sys
import tempfile
from pathlib import Path

from bench.load import run_wrk
from bench.server import Server, serve_command
from bench.sessions import open_sessions
from counts import write_storyboard

CACHED, WARM, CONNECTIONS, SECONDS, ROUNDS = 1000, 500, 64, 3, 5


def measure(server, requests):
    """Reads a second, and microseconds of the service's processor time for one."""
    before = server.cpu_seconds()
    throughput = run_wrk(server.url, requests, CONNECTIONS, SECONDS)
    return throughput.rate, (server.cpu_seconds() - before) / throughput.answers * 1e6


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("waypost")
    parser.add_argument("--stored", type=int, default=100_000)
    options = parser.parse_args()
    if options.stored < 10 * CACHED:
        parser.error(f"--stored must be {10 * CACHED} at least")
    with tempfile.TemporaryDirectory() as name:
        storyboard = Path(name, "storyboard.json")
        write_storyboard(storyboard)
        command = serve_command(
            options.waypost, "--store", f"sqlite:{name}/store.sqlite", "--storyboard", storyboard,
            "--durability", "relaxed", "--max-cached-sessions", str(CACHED))
        with Server(command) as server:
            cold = [session.get() for session in open_sessions(server, options.stored)]
            random.Random(1).shuffle(cold)
            warm = cold[:WARM]
            samples = {"warm": [], "cold": []}
            for _ in range(ROUNDS):
                run_wrk(server.url, warm, CONNECTIONS, 1)
                samples["warm"].append(measure(server, warm))
                samples["cold"].append(measure(server, cold))
    rate, cpu = ({
        name: statistics.median(sample[index] for sample in samples[name]) for name in samples}
        for index in (0, 1))
    print(f"stored sessions       {options.stored:,}, {CACHED:,} of them in memory")
    print(f"reads in memory       {rate['warm']:.0f} a second, {cpu['warm']:.1f} µs each")
    print(f"reads of the store    {rate['cold']:.0f} a second, {cpu['cold']:.1f} µs each")
    print(f"cold to warm          {rate['cold'] / rate['warm']:.2f} of the rate, "
          f"{cpu['cold'] / cpu['warm']:.1f} x the processor time")


if __name__ == "__main__":
    sys.exit(main())
