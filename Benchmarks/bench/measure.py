"""Runs a scenario against a server, and checks that what was answered was also done."""

from dataclasses import dataclass

from .client import WrongAnswer
from .contenders import BARE_C, MANY, SYNCING_C
from .load import run_load, run_wrk
from .sessions import CHUNK, return_to_root, revisions

# Of the changes that are answered, how many must have been done. A pop that overtakes its push
# rightly does nothing: with as many clients as sessions, on a busy machine, some do.
DONE = 0.95


@dataclass(frozen=True)
class Sample:
    """One run."""
    # Answers a second.
    rate: float
    # Of the server, in microseconds for one answer.
    cpu: float
    # The server's largest resident memory, in bytes.
    peak: int
    # Of wrk: the share of a core that it needed itself. Near 1, it was what limited the rate.
    client_cpu: float | None = None
    # Of our own generator: answers to the connection with the fewest and the most; microseconds.
    least: int | None = None
    most: int | None = None
    p50: float | None = None
    p99: float | None = None


class Meter:
    """Measures scenarios in rounds."""

    def __init__(self, contenders, load_binary, seconds):
        self._contenders = contenders
        self._load_binary = load_binary
        self._seconds = seconds
        # By names of scenario and contender, one sample for each round.
        self.samples = {}
        self._first = {}

    def run(self, scenario):
        """One round of `scenario`: each contender once, one right after the other."""
        subject = self._contenders.waypost[scenario.variant]
        contenders = [self._contenders.bare_c(subject.sessions), subject]
        if scenario.is_synced:
            contenders.insert(1, self._contenders.syncing_c(subject.sessions))
        if scenario.with_peers:
            contenders += self._contenders.peers
        for contender in contenders:
            self.samples.setdefault((scenario.name, contender.name), []).append(
                self.measure(scenario, contender))

    def measure(self, scenario, contender):
        """One run of `scenario` with one contender."""
        server, sessions = contender.server, contender.sessions
        # Of very many sessions the scenario itself leaves next to none away from the root; and the
        # C server has none.
        has_state = contender.name not in (BARE_C, SYNCING_C) and len(sessions) < MANY
        if has_state:
            # As the C server's answers were recorded.
            return_to_root(server, sessions)
        is_checked = scenario.changes and has_state
        if is_checked:
            revision = revisions(server, sessions)
        server.forget_peak()
        cpu = server.cpu_seconds()
        result = self._send(scenario, contender)
        cpu = (server.cpu_seconds() - cpu) / result.answers * 1e6
        peak = server.peak_memory()
        if is_checked:
            done = revisions(server, sessions) - revision
            # The last ones are done, but not awaited.
            if not result.answers * DONE <= done <= result.answers + 3 * scenario.connections:
                raise WrongAnswer(
                    f"{contender.name}: {result.answers} changes answered, {done} done")
        extra = {name: getattr(result, name, None)
                 for name in ("client_cpu", "least", "most", "p50", "p99")}
        return Sample(result.rate, cpu, peak, **extra)

    def _send(self, scenario, contender):
        requests = scenario.requests(contender.sessions)
        if scenario.groups:
            rate = 0
            if scenario.half_of:
                rate = self.samples[scenario.half_of, "Waypost"][-1].rate / 2
            return run_load(self._load_binary, contender.server, requests, scenario.connections,
                            self._seconds, rate)
        # Each run goes on about where the last one ended, so that all sessions have their turn.
        key = scenario.name, contender.name
        first = self._first.get(key, 0)
        result = run_wrk(
            contender.server.url, requests, scenario.connections, self._seconds, first)
        # At a push onto the first session of a chunk.
        self._first[key] = (first + result.answers) // (2 * CHUNK) * (2 * CHUNK) % len(requests)
        return result
