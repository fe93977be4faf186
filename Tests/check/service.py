"""The service that the checks talk to."""

import contextlib
import re
import subprocess
import tempfile

# Where the service grows limits that a test would meet, it is told here to do without.
OPTIONS = ["--port", "0", "--log-level", "error", "--max-new-sessions-per-address", "0",
           "--max-new-accounts-per-address", "0"]


@contextlib.contextmanager
def running(waypost):
    """Starts the service on a new SQLite store, and yields its URL."""
    with tempfile.TemporaryDirectory() as folder:
        service = subprocess.Popen(
            [waypost, "serve", "--store", f"sqlite:{folder}/waypost.sqlite", *OPTIONS],
            stdout=subprocess.PIPE, text=True)
        try:
            yield re.search(r"http://\S+", service.stdout.readline())[0]
        finally:
            service.terminate()
            service.wait(40)
