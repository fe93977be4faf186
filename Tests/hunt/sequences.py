"""Random sequences of requests and restarts, held to a model; what fails is shrunk.

Each sequence has a seed of its own: the first that of the command line, each later one more.
"""

import json
import shutil
import tempfile
import time
from pathlib import Path

import costs
import steps
from description import Description
from model import Violation
from player import Player
from service import Crashed, Unanswered

PART = "sequences"
# Most findings are shrunk within so many seconds.
SHRINKING = 12


class Hunter:
    def __init__(self, waypost, folder, findings):
        self.waypost, self.folder, self.findings = waypost, folder, findings
        self.description = Description()

    def violations(self, profile, sequence):
        """Plays a sequence on a new store. Returns what was violated, the worst last."""
        found = []
        folder = tempfile.mkdtemp(dir=self.folder)
        player = None
        try:
            player = Player(self.waypost, folder, profile, self.description, found.append)
            for number, step in enumerate(sequence):
                try:
                    player.play(step)
                except Violation as violation:
                    violation.text += f" (in step {number}: {step['do']})"
                    raise
            player.end()
        except Violation as violation:
            found.append(violation)
        except Crashed as crash:
            found.append(Violation("the process lives", str(crash)))
        except Unanswered as unanswered:
            found.append(Violation("each request is answered", str(unanswered)))
        finally:
            if player:
                player.close()
            shutil.rmtree(folder, ignore_errors=True)
        return found

    def breaks(self, rule, profile, sequence):
        return next((one for one in self.violations(profile, sequence) if one.rule == rule), None)

    def shrunk(self, violation, profile, sequence, until):
        """Drops steps as long as the same rule is broken. Returns the violation and the steps."""
        size = len(sequence) // 2
        while size:
            start = 0
            while start < len(sequence):
                if time.monotonic() > until:
                    return violation, sequence
                shorter = sequence[:start] + sequence[start + size:]
                if again := self.breaks(violation.rule, profile, shorter):
                    violation, sequence = again, shorter
                else:
                    start += size
            size //= 2
        return violation, sequence

    def look(self, profile, sequence, seed, until):
        for violation in self.violations(profile, sequence):
            if violation.rule in self.findings:
                self.findings.add(PART, violation.rule, violation.text)
                continue
            violation, short = self.shrunk(
                violation, profile, sequence, min(until, time.monotonic() + SHRINKING))
            reproduction = [f"seed {seed}, of {len(sequence)} steps these {len(short)}:",
                            json.dumps({"profile": profile}), *map(json.dumps, short)]
            self.findings.add(PART, violation.rule, violation.text, reproduction)


def replay(hunter, path):
    """Plays the lines that a finding printed."""
    lines = [json.loads(line) for line in Path(path).read_text().splitlines() if "{" in line]
    for violation in hunter.violations(lines[0]["profile"], lines[1:]):
        hunter.findings.add(PART, violation.rule, violation.text)


def hunt(waypost, folder, findings, seconds, seed, replay_file=None, **_):
    hunter = Hunter(waypost, folder, findings)
    if replay_file:
        return replay(hunter, replay_file)
    end = time.monotonic() + seconds
    costs.hunt(waypost, folder, findings)
    played = 0
    # A sequence takes about a second: the last one comes to its end.
    while time.monotonic() < end - 2:
        profile, sequence = steps.make(seed + played)
        hunter.look(profile, sequence, seed + played, end)
        played += 1
    print(f"sequences: {played} from seed {seed} on")
