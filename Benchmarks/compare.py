#!/usr/bin/env python3
"""Compare builds or options of waypost with one another and with the bare C server.

    Benchmarks/compare.py [--rounds 6] [--seconds 1] [--only NAME] "BINARY [OPTION...]" ...

Each argument is the command of one contender, without `serve`. In each round every contender runs each
scenario once, one right after the other. Printed: medians over the rounds of the rate and of the
processor time of an answer, as ratios to the bare C server and to the first contender in the same round;
and answers to the connection that got the fewest to those of the one with the most, in brackets the C
server's. Needs wrk, and .build-bench/c-server and .build-bench/load of `make bench-tools`.
"""

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

from bench import canned, scenarios
from bench.client import Client
from bench.contenders import BARE_C, DURABLE, FEW, Contender
from bench.measure import Meter
from bench.server import Server, serve_command
from bench.sessions import open_sessions, sign_up

TOOLS = Path(__file__).resolve().parent.parent / ".build-bench"
COMPARED = [scenarios.GET_SESSION, scenarios.PUSH_POP, scenarios.DURABLE[1], scenarios.DURABLE[2],
            scenarios.EVEN]


class Pair:
    """One contender: a server with its store in memory and one with a durable store."""

    def __init__(self, command, folder):
        self.servers, self.waypost = [], {}
        binary, *options = command.split()
        counts = {"memory": FEW + 1, "durable": DURABLE, "roots": FEW}
        for variant, count in counts.items():
            store = f"sqlite:{folder}/store.sqlite" if variant == "durable" else "memory"
            server = Server(serve_command(binary, "--store", store, *options))
            self.servers.append(server)
            with Client(server) as client:
                credential = sign_up(client)
            sessions = open_sessions(server, count, credential)
            self.waypost[variant] = Contender("Waypost", server, sessions)


class Field:
    """What a `Meter` asks for: one contender and the bare C server."""

    peers = ()

    def __init__(self, pair, bare_c):
        self.waypost, self._bare_c = pair.waypost, bare_c

    def bare_c(self, sessions):
        """The C server, which answers the same for whatever sessions."""
        return Contender(BARE_C, self._bare_c, sessions)


def measure(commands, compared, rounds, seconds):
    """One meter for each command, with the samples of all rounds."""
    servers = []
    with tempfile.TemporaryDirectory(dir=TOOLS) as folder:
        try:
            pairs = []
            for number, command in enumerate(commands):
                (own := Path(folder, str(number))).mkdir()
                pairs.append(Pair(command, own))
                servers += pairs[-1].servers
            first = pairs[0].waypost["memory"]
            canned.record(first.server, first.sessions.pop(), Path(folder))
            bare_c = Server([TOOLS / "c-server", folder])
            servers.append(bare_c)
            meters = [Meter(Field(pair, bare_c), TOOLS / "load", seconds) for pair in pairs]
            for number in range(rounds):
                for scenario in compared:
                    print(f"round {number + 1} of {rounds}: {scenario.name}", file=sys.stderr)
                    # Who comes first takes turns.
                    for meter in meters[::-1] if number % 2 else meters:
                        meter.run(scenario)
            return meters
        finally:
            for server in servers:
                server.stop()


def ratio(field, samples, others):
    """The median over the rounds."""
    return statistics.median(
        getattr(one, field) / getattr(other, field) for one, other in zip(samples, others))


def evenness(samples):
    """Answers to the connection that got the fewest, to those of the one with the most."""
    return statistics.median(sample.least / sample.most for sample in samples)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("commands", nargs="+", metavar="COMMAND")
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--seconds", type=int, default=1)
    parser.add_argument("--only", help="scenarios whose name holds this")
    options = parser.parse_args()
    compared = [each for each in COMPARED if (options.only or "") in each.name]
    meters = measure(options.commands, compared, options.rounds, options.seconds)
    print("| scenario | contender | rate to C | to the first | CPU to C | to the first | evenness |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for scenario in compared:
        first = meters[0].samples[scenario.name, "Waypost"]
        for number, meter in enumerate(meters):
            own, bare = (meter.samples[scenario.name, name] for name in ("Waypost", BARE_C))
            even = "" if own[0].least is None else f"{evenness(own):.2f} ({evenness(bare):.2f})"
            print(f"| {scenario.name} | {number + 1} | {ratio('rate', own, bare):.2f} "
                  f"| {ratio('rate', own, first):.3f} | {ratio('cpu', own, bare):.2f} "
                  f"| {ratio('cpu', own, first):.3f} | {even} |")


if __name__ == "__main__":
    main()
