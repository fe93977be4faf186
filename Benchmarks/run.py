#!/usr/bin/env python3
"""Measure a release build of waypost against a bare C server, Hummingbird, Node and Go.

    Benchmarks/run.py .build/release/waypost [--quick]

Called by `make bench`, which builds what this needs. See README.md.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench import scenarios
from bench.contenders import Contenders
from bench.measure import Meter
from bench.report import Results, report

HERE = Path(__file__).resolve().parent
TOOLS = HERE.parent / ".build-bench"


def versions():
    """What is compared, in one sentence."""
    def first_line(*command):
        output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        return output.splitlines()[0]
    commit = first_line("git", "-C", HERE, "rev-parse", "--short", "HEAD")
    library = first_line("pkg-config", "--modversion", "libmicrohttpd")
    node = first_line("node", "--version").removeprefix("v")
    go = first_line("go", "version").split()[2].removeprefix("go")
    return f"Waypost at {commit}, libmicrohttpd {library}, Hummingbird 2, Node {node}, Go {go}."


# The part of RESULTS.md that other programs measured, which stays.
OTHERS = "# Other measurements"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("waypost", type=Path)
    parser.add_argument("--quick", action="store_true", help="two rounds, no RESULTS.md")
    options = parser.parse_args()
    # Short and many: what else runs on the machine comes and goes within seconds.
    rounds, seconds = (2 if options.quick else 10), 1
    started = time.monotonic()
    # Beside the build, as /tmp may be memory, where a sync costs nothing.
    with tempfile.TemporaryDirectory(dir=TOOLS) as folder:
        contenders = Contenders(options.waypost.resolve(), TOOLS, HERE / "peers", Path(folder))
        try:
            meter = Meter(contenders, TOOLS / "load", seconds)
            for number in range(rounds):
                for scenario in scenarios.ALL:
                    print(f"round {number + 1} of {rounds}: {scenario.name}", file=sys.stderr)
                    for _ in range(scenario.repeats):
                        meter.run(scenario)
        finally:
            contenders.stop()
    text = report(Results(meter.samples), rounds, seconds, versions())
    print(text)
    print(f"{time.monotonic() - started:.0f} s", file=sys.stderr)
    if not options.quick:
        page = HERE / "RESULTS.md"
        others = page.read_text().partition(OTHERS)
        page.write_text(f"{text}\n{others[1]}{others[2]}")


if __name__ == "__main__":
    main()
