#!/usr/bin/env python3
"""Count what a request and a session cost, and hold it to thresholds.json.

    Benchmarks/counts.py .build/release/waypost [--update] [--profile]

Instructions and bytes, not seconds: the same on a machine that is busy. Fails when one of them is
more than 5 % above its threshold. Called by `make counts`. See README.md.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.callgrind import CountedServer
from bench.canned import AUTHOR, COVER
from bench.client import Request
from bench.server import Server, serve_command
from bench.sessions import open_sessions

HERE = Path(__file__).resolve().parent
LIBRARY = HERE.parent / "Sources/Tools/AppLoading/Resources/Library.json"
THRESHOLDS = HERE / "thresholds.json"
SLACK = 0.05
TIMES, SESSIONS = 500, 20_000


def without_debug_information(waypost):
    """A copy without the debug information, whose fifth version valgrind does not read. The names of the
    functions stay. The copy lies beside the program, as its resources do."""
    copy = waypost.with_name("waypost-counted")
    subprocess.run(["strip", "--strip-debug", "-o", str(copy), str(waypost)], check=True)
    return copy


def write_storyboard(file):
    """The Library without its log-in: hashing passwords takes long under callgrind."""
    storyboard = json.loads(LIBRARY.read_text())
    del storyboard["loginScene"]
    storyboard["scenes"] = {
        name: scene for name, scene in storyboard["scenes"].items()
        if scene.get("access") != "login"}
    file.write_text(json.dumps(storyboard))


def demangled(names):
    """Swift's names as people write them."""
    command = ["swift", "demangle", "--simplified", "--compact"]
    return subprocess.run(
        command, input="\n".join(names), capture_output=True, text=True,
        check=True).stdout.splitlines()


def print_profile(name, hottest):
    """Which functions the instructions are in."""
    print(f"\n{name}: instructions of a function's own")
    functions = demangled([function for _, function, _ in hottest])
    for (share, _, library), function in zip(hottest, functions):
        print(f"{share:6.1%}  {function[:90]} ({library})")


def instructions(waypost, options, store, scenarios, folder, with_profile):
    """Instructions for the answers to the requests that `scenarios` make of one session, by their
    names: the mean over `TIMES` sessions, each asked once. No two requests are equal."""
    folder.mkdir()
    command = serve_command(waypost, "--store", store, *options)
    with CountedServer(command, folder) as counted:
        session, *others = open_sessions(counted.server, 1 + TIMES)
        counts = {}
        for name, make_requests in scenarios.items():
            requests = [request for other in others for request in make_requests(other)]
            count = counted.instructions(requests, make_requests(session))
            counts[f"instructions: {name}"] = round(count / TIMES)
            if with_profile:
                print_profile(name, counted.hottest(40))
        return counts


def push_and_pop(session):
    """Two requests."""
    return [session.push(), session.pop()]


IN_MEMORY = {
    "GET session": lambda session: [session.get()],
    "GET author": lambda _: [Request("GET", AUTHOR)],
    "GET cover": lambda _: [Request("GET", COVER)],
    "GET screen": lambda session: [session.get("/screen")],
    "push and pop": push_and_pop,
}
DURABLE = {"push and pop, SQLite": push_and_pop}


def bytes_per_session(waypost, options, store):
    """Memory that a session at its root costs while it is resident: what 20,000 sessions add to
    20,000 others, so that tables that double in size have done so exactly once. The smaller of two
    counts: on a busy machine the allocator has not given back yet what it will."""
    def measured():
        with tempfile.TemporaryDirectory() as folder:
            command = serve_command(
                waypost, "--store", store.format(folder=folder), "--durability", "relaxed",
                "--max-cached-sessions", str(10 * SESSIONS), *options)
            with Server(command) as server:
                open_sessions(server, SESSIONS)
                before = server.anonymous_memory()
                open_sessions(server, SESSIONS)
                return round((server.anonymous_memory() - before) / SESSIONS)

    return min(measured(), measured())


def count(waypost, with_profile):
    """All counts, by name."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        storyboard = folder / "storyboard.json"
        write_storyboard(storyboard)
        options = ["--storyboard", storyboard]
        return {
            **instructions(
                waypost, options, "memory", IN_MEMORY, folder / "memory", with_profile),
            **instructions(
                waypost, options, f"sqlite:{folder}/counted.sqlite", DURABLE, folder / "durable",
                with_profile),
            "bytes: session, SQLite": bytes_per_session(
                waypost, options, "sqlite:{folder}/store.sqlite"),
            "bytes: session, memory": bytes_per_session(waypost, options, "memory"),
        }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("waypost", type=Path)
    parser.add_argument("--update", action="store_true", help="make the counts the thresholds")
    parser.add_argument("--profile", action="store_true", help="tell the hottest functions")
    options = parser.parse_args()
    counts = count(without_debug_information(options.waypost.resolve()), options.profile)
    if options.update:
        THRESHOLDS.write_text(json.dumps(counts, indent=2) + "\n")
    thresholds = json.loads(THRESHOLDS.read_text())
    failed = 0
    for name, value in counts.items():
        change = value / thresholds[name] - 1
        verdict = ""
        if change > SLACK:
            verdict, failed = "TOO MUCH", failed + 1
        elif change < -SLACK:
            verdict = "less: lower the threshold (--update)"
        print(f"{name:40} {value:10,} {change:+7.1%}  {verdict}")
    print(f"{len(counts) - failed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
