"""A server under callgrind, which counts the instructions of what it is sent."""

import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

from .client import Client
from .server import Server

SHIM = Path(__file__).parent.parent / "valgrind/sigsuspend.c"
WARM_UP = 100


class CountedServer:
    """Runs `command` under callgrind; its files go to `folder`."""

    def __init__(self, command, folder):
        self._folder = folder
        shim = folder / "sigsuspend.so"
        subprocess.run([os.environ.get("CC", "clang"), "-shared", "-fPIC", "-o", shim, SHIM],
                       check=True)
        self.server = Server(
            ["valgrind", "--quiet", "--tool=callgrind", "--fair-sched=yes", "--vgdb-poll=100",
             f"--callgrind-out-file={folder / 'counts'}", *command],
            # The order in dictionaries, and so the work, is the same in each run. The service would
            # start itself anew, which callgrind does not follow, were its crashes reported.
            # callgrind counts each byte of `rep stosb` as an instruction, by which libmicrohttpd's
            # zeroing of 36 KiB for each request would be more than all the rest.
            {"LD_PRELOAD": str(shim), "SWIFT_DETERMINISTIC_HASHING": "1",
             "SWIFT_BACKTRACE": "enable=no",
             "GLIBC_TUNABLES": "glibc.cpu.x86_rep_stosb_threshold=1000000000"})
        self._dumps = 0
        self._last_dump = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.stop()

    def instructions(self, requests, warm_up):
        """How many instructions all threads together take to answer `requests`, in user space.

        - warm_up: requests that are sent before, again and again.
        """
        with Client(self.server) as client:
            for _ in client.send_all(warm_up * (WARM_UP // len(warm_up))):
                pass
            self._dump()
            # One after another: what a batch saves differs from run to run.
            for request in requests:
                client.send(request)
            return self._dump()

    def hottest(self, limit):
        """The functions with most instructions of their own since the dump before the last, as
        (share, function, library)."""
        costs = own_costs(self._last_dump)
        total = sum(costs.values())
        return [(cost / total, *place) for place, cost in costs.most_common(limit)]

    def _dump(self):
        """The count since the last dump."""
        # Not callgrind_control: it attaches to the process, which not every machine lets it. The
        # server looks for orders by itself whenever it runs, as each second for late connections.
        command = ["vgdb", f"--pid={self.server.process.pid}", "--max-invoke-ms=0", "dump"]
        control = subprocess.run(command, capture_output=True, text=True, timeout=60)
        self._dumps += 1
        file = self._last_dump = self._folder / f"counts.{self._dumps}"
        if not file.exists():
            sys.exit(f"callgrind wrote nothing: {control.stdout}{control.stderr}")
        return int(re.search(r"^totals: (\d+)", file.read_text(), re.MULTILINE)[1])


def own_costs(file):
    """Instructions by (function, library), without those of the functions that it calls.

    callgrind_annotate charges all to the threads' first function where a run is dumped in parts.
    """
    names, costs = {}, Counter()
    function = library = None
    is_call = False
    for line in file.read_text().splitlines():
        if match := re.match(r"(c?)(fn|ob)=\((\d+)\)(?: (.*))?", line):
            is_callee, kind, number, text = match.groups()
            name = names.setdefault((kind, number), text)
            if is_callee:
                continue
            if kind == "fn":
                # A function that is its own caller has a number behind its name.
                function = re.sub(r"'\d+$", "", name)
            else:
                library = Path(name).name
        elif line.startswith("calls="):
            is_call = True
        elif re.match(r"[-+*\d]", line):
            if not is_call:
                costs[function, library] += int(line.split()[1])
            is_call = False
    return costs
