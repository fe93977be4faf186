"""A server under test: a process that prints its URL when it is ready."""

import os
import re
import subprocess
import time
from pathlib import Path

TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


class Server:
    """Runs `command` until `stop`, or until the end of a `with` block."""

    def __init__(self, command, environment=None):
        started = time.monotonic()
        self.process = subprocess.Popen(
            [str(part) for part in command], stdout=subprocess.PIPE, text=True,
            env=None if environment is None else os.environ | environment)
        line = self.process.stdout.readline()
        found = re.search(r"http://([\d.]+):(\d+)", line)
        if not found:
            self.process.kill()
            self.process.wait()
            raise RuntimeError(f"{command[0]} did not start: {line!r}")
        self.seconds_to_ready = time.monotonic() - started
        self.host, self.port = found[1], int(found[2])
        self.url = found[0]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        """Ends the process.

        - Returns: its exit code, or the negative number of the signal that ended it.
        - Raises `TimeoutExpired` if it had to be killed.
        """
        self.process.terminate()
        try:
            return self.process.wait(timeout=40)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise

    @property
    def _folder(self):
        return Path(f"/proc/{self.process.pid}")

    def cpu_seconds(self):
        """User and system time of all threads since the start."""
        # The name, which may hold blanks, ends with the last parenthesis.
        fields = (self._folder / "stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS_PER_SECOND

    def forget_peak(self):
        """From now on, `peak_memory` is that of what comes."""
        (self._folder / "clear_refs").write_text("5")

    def _memory(self, field):
        status = (self._folder / "status").read_text()
        return int(re.search(rf"{field}:\s+(\d+) kB", status)[1]) * 1024

    def peak_memory(self):
        """The largest resident memory, in bytes."""
        return self._memory("VmHWM")

    def anonymous_memory(self):
        """The resident memory that is no file's, in bytes."""
        return self._memory("RssAnon")

    def resident_memory(self):
        """The resident memory, in bytes."""
        return self._memory("VmRSS")


def serve_command(binary, *options):
    """`waypost serve` on a port that the system picks, without the limits that are there for
    strangers, and without a log of requests, which the peers do not write either."""
    return [binary, "serve", "--port", "0", "--max-new-sessions-per-address", "0", "--max-new-accounts-per-address", "0",
            "--access-log", "off", *options]
