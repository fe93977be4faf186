"""A Waypost service for tests with pytest: one process for all tests, one session for each.

Copy this file and seed.yaml beside your tests. WAYPOST names the executable, if it is not in the PATH.
"""

import json
import os
import subprocess
import time
import urllib.request
from pathlib import Path

import pytest

GOLDEN = "0" * 31 + "1"
TOKEN = "wps_" + "0" * 63 + "1"


class Waypost:
    """A client of the service. `session` and `token` are those of the test's session, if it has one."""

    def __init__(self, url, session=None, token=None):
        self.url, self.session, self.token = url, session, token

    def send(self, method, path, body=None):
        """Sends a request, and returns the JSON of the response. Raises urllib.error.HTTPError for a refusal."""
        request = urllib.request.Request(f"{self.url}{path}", method=method)
        if self.token:
            request.add_header("Authorization", f"Bearer {self.token}")
        if body is not None:
            request.add_header("Content-Type", "application/json")
            request.data = json.dumps(body).encode()
        with urllib.request.urlopen(request, timeout=10) as response:
            text = response.read()
            return json.loads(text) if text else None

    def get(self, part=""):
        return self.send("GET", f"/v1/sessions/{self.session}{part}")

    def do(self, operation, **body):
        return self.send("POST", f"/v1/sessions/{self.session}/{operation}", body)

    def fork(self):
        """A new session in the state of the golden one."""
        golden = Waypost(self.url, GOLDEN, TOKEN)
        fork = {"fork": {"session": GOLDEN, "revision": golden.get()["revision"]}}
        opened = golden.send("POST", "/v1/sessions", fork)
        return Waypost(self.url, opened["id"], opened["token"])

    def reset(self):
        """Removes all sessions and accounts but those of the seed, and puts the clock back."""
        self.send("POST", "/test/reset")

    def advance(self, seconds):
        """Moves the clock of the service."""
        self.send("POST", "/test/clock", {"advance": seconds})


@pytest.fixture(scope="session")
def waypost(tmp_path_factory):
    """The service, for the whole run of the tests."""
    ready = tmp_path_factory.mktemp("waypost") / "address"
    process = subprocess.Popen([
        os.environ.get("WAYPOST", "waypost"), "serve", "--profile", "test", "--test-clock", "--port", "0",
        "--ready-file", ready, "--seed", Path(__file__).with_name("seed.yaml"),
    ], stdout=subprocess.DEVNULL)
    try:
        while not ready.exists():
            assert process.poll() is None, "waypost does not start"
            time.sleep(0.01)
        yield Waypost(ready.read_text().strip())
    finally:
        process.terminate()
        process.wait(30)


@pytest.fixture
def session(waypost):
    """A session of its own for each test, in the state of the golden one."""
    return waypost.fork()
