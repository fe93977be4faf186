"""The tables, as text for the terminal and for RESULTS.md."""

import os
import platform
import statistics

from . import scenarios
from .contenders import BARE_C, SYNCING_C, WAYPOST


class Results:
    """Samples by scenario and contender, compared within their round."""

    def __init__(self, samples):
        self.samples = samples

    def median(self, scenario, contender, field):
        """The median over the rounds."""
        return statistics.median(
            getattr(sample, field) for sample in self.samples[scenario, contender])

    def ratio(self, field, one, other):
        """The median over the rounds of one (scenario, contender) to another."""
        return statistics.median(
            getattr(a, field) / getattr(b, field)
            for a, b in zip(self.samples[one], self.samples[other]))

    def evenness(self, scenario, contender):
        """Answers to the connection that got the fewest, to those of the one with the most; of
        the worst round."""
        return min(each.least / each.most for each in self.samples[scenario, contender])

    def contenders(self, scenario):
        """Their names, in the order in which they run."""
        return [contender for name, contender in self.samples if name == scenario.name]


def _table(header, rows):
    widths = [max(map(len, column)) for column in zip(header, *rows)]
    # Names to the left, numbers to the right.
    def line(cells):
        padded = [cell.ljust(width) if i < 2 else cell.rjust(width)
                  for i, (cell, width) in enumerate(zip(cells, widths))]
        return f"| {' | '.join(padded)} |"
    rule = [("-" * width if i < 2 else "-" * (width - 1) + ":") for i, width in enumerate(widths)]
    return "\n".join([line(header), line(rule), *map(line, rows)])


def ratios(results):
    """Throughput of all servers, the bare C server being 1."""
    rows = []
    for scenario in scenarios.ALL:
        if scenario.half_of:
            continue
        reference = scenario.name, BARE_C
        for contender in results.contenders(scenario):
            one = scenario.name, contender
            client = results.samples[one][0].client_cpu
            rows.append([
                scenario.name, contender, f"{results.ratio('rate', one, reference):.2f}",
                f"{results.median(*one, 'rate'):,.0f}", f"{results.median(*one, 'cpu'):.1f}",
                f"{results.ratio('cpu', one, reference):.2f}",
                f"{results.median(*one, 'peak') / 2**20:.0f}",
                "" if client is None else f"{results.median(*one, 'client_cpu'):.2f}"])
    return _table(
        ["scenario", "server", "ratio", "answers/s", "CPU µs", "CPU ratio", "peak MiB", "client"],
        rows)


def latencies(results):
    """At half of the rate that Waypost reaches."""
    rows = []
    for scenario in scenarios.PACED:
        for contender in results.contenders(scenario):
            one = scenario.name, contender
            rows.append([
                scenario.name, contender, f"{results.median(*one, 'rate'):,.0f}",
                f"{results.median(*one, 'p50'):,.0f}", f"{results.median(*one, 'p99'):,.0f}",
                f"{results.ratio('p99', one, (scenario.name, BARE_C)):.2f}"])
    return _table(["scenario", "server", "answers/s", "p50 µs", "p99 µs", "p99 ratio"], rows)


def evenness(results):
    """How evenly 64 connections are served that send as fast as they are answered."""
    rows = [[scenario.name, contender, f"{results.evenness(scenario.name, contender):.2f}"]
            for scenario in (scenarios.EVEN, scenarios.HOT)
            for contender in results.contenders(scenario)]
    return _table(["scenario", "server", "fewest / most"], rows)


def goals(results):
    """What must be true, and what is."""
    push_pop = scenarios.PUSH_POP.name, WAYPOST

    def to_c(scenario):
        return results.ratio("rate", (scenario.name, WAYPOST), (scenario.name, BARE_C))

    def to_peer(peer):
        return results.ratio("rate", push_pop, (scenarios.PUSH_POP.name, peer))

    def p99(scenario):
        return results.ratio("p99", (scenario.name, WAYPOST), (scenario.name, BARE_C))

    def between(one, other):
        return results.ratio("rate", (one.name, WAYPOST), (other.name, WAYPOST))

    checks = [
        ("GET session, to bare C", to_c(scenarios.GET_SESSION), ">=", 0.75),
        ("GET author, to bare C", to_c(scenarios.AUTHOR_SCENARIO), ">=", 0.85),
        ("push and pop, to bare C", to_c(scenarios.PUSH_POP), ">=", 0.62),
        ("push and pop durable, 256 connections, to bare C", to_c(scenarios.DURABLE[2]), ">=",
         0.45),
        ("push and pop durable, 1 connection, to bare C that syncs",
         results.ratio("rate", (scenarios.DURABLE[0].name, WAYPOST),
                       (scenarios.DURABLE[0].name, SYNCING_C)), ">=", 0.60),
        ("set root durable, 1 session, 256 connections, to bare C", to_c(scenarios.DURABLE_HOT),
         ">=", 0.30),
        ("push and pop, to Hummingbird", to_peer("Hummingbird"), ">=", 3.0),
        ("push and pop, to Node", to_peer("Node"), ">=", 1.5),
        ("push and pop, to Go", to_peer("Go"), ">=", 1.0),
        ("p99 of GET session at half rate, to bare C", p99(scenarios.PACED[0]), "<=", 3.0),
        ("p99 of push and pop at half rate, to bare C", p99(scenarios.PACED[1]), "<=", 3.0),
        ("GET, 100,000 sessions to 64", between(scenarios.GET_MANY, scenarios.GET_SESSION), ">=",
         0.85),
        ("push and pop, 100,000 sessions to 64",
         between(scenarios.PUSH_POP_MANY, scenarios.PUSH_POP), ">=", 0.85),
        ("set root, 1 session to 64", between(scenarios.HOT, scenarios.EVEN), ">=", 0.80),
        # Nobody starves: everybody gets a quarter of what the luckiest gets. The limit is far from
        # 1: Waypost's threads have equally many connections each, but not equal turns to run.
        ("1 session, fewest answers to most", results.evenness(scenarios.HOT.name, WAYPOST), ">=",
         0.25),
    ]
    return _table(["goal", "met", "measured", "limit"], [
        [text, "yes" if (value >= limit if sign == ">=" else value <= limit) else "no",
         f"{value:.2f}", f"{'≥' if sign == '>=' else '≤'} {limit:.2f}"]
        for text, value, sign, limit in checks])


def report(results, rounds, seconds, versions):
    """The whole of RESULTS.md."""
    return f"""# Results of `make bench`

{rounds} rounds of {seconds} s, medians; {os.cpu_count()} cores for servers and clients together,
{platform.machine()}, Linux {platform.release().split("-")[0]}.
{versions}
[README.md](README.md) says how to read this.

## Throughput

{ratios(results)}

## Latency at half of Waypost's rate

{latencies(results)}

## Fairness of 64 connections

{evenness(results)}

## Goals

{goals(results)}
"""
