"""The nodes of a cluster, and HAProxy before them with the rules of Docker/haproxy-cluster.cfg."""

import contextlib
import http.client
import json
import re
import signal
import subprocess
import time
from pathlib import Path

from postgres import free_port

CONFIGURATION = Path(__file__).resolve().parents[2] / "Docker/haproxy-cluster.cfg"
STORYBOARD = {
    "name": "Cluster", "lifecycle": "forwarded", "loginScene": "door", "initialScene": "root",
    "scenes": {"door": {"kind": "form", "title": "Log In", "access": "login"},
               "root": {"kind": "blank", "title": "0",
                        "segues": [{"identifier": "page", "kind": "show", "scene": "page", "parameters": {"n": "1"}}]},
               "page": {"kind": "blank", "title": "{n}", "parameters": ["n"]}}}
# Nothing of a history may be forgotten, and one address opens all sessions.
OPTIONS = ["--history-retention", "100000000", "--max-idempotency-keys", "1000000", "--access-log", "off",
           "--max-new-sessions-per-address", "0", "--max-new-accounts-per-address", "0",
           "--max-wrong-passwords-per-address", "0", "--trusted-proxy", "127.0.0.1", "--inspector", "off", "--stream-heartbeat", "1s"]


def is_ready(port):
    with contextlib.suppress(OSError, http.client.HTTPException):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
        with contextlib.closing(connection):
            connection.request("GET", "/readyz")
            return connection.getresponse().status == 200
    return False


def wait_until_ready(port, seconds, is_alive=lambda: True):
    """Asks again and again; returns whether the answer was yes in that time."""
    deadline = time.monotonic() + seconds
    while not is_ready(port):
        if not is_alive() or time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


class Node:
    """A waypost process with a port of its own, which it keeps over restarts."""

    def __init__(self, binary, folder, name, store, options=(), storyboard=STORYBOARD):
        self.binary, self.folder, self.name = binary, Path(folder), name
        self.store, self.options = store, list(options)
        self.port, self.process = free_port(), None
        self.log = self.folder / f"{name}.log"
        (self.folder / "storyboard.json").write_text(json.dumps(storyboard))

    def start(self):
        with open(self.log, "a") as log:
            self.process = subprocess.Popen(
                [self.binary, "serve", "--port", str(self.port), "--store", self.store,
                 "--storyboard", str(self.folder / "storyboard.json"), *OPTIONS, *self.options],
                stdout=subprocess.DEVNULL, stderr=log)
        return self

    def wait_until_ready(self, seconds=60):
        if not wait_until_ready(self.port, seconds, lambda: self.process.poll() is None):
            raise RuntimeError(f"{self.name} is not ready: {self.log.read_text()[-2000:]}")
        return self

    def kill(self):
        self.process.kill()
        self.process.wait()

    def pause(self):
        self.process.send_signal(signal.SIGSTOP)

    def go_on(self):
        self.process.send_signal(signal.SIGCONT)

    def stop(self, seconds=60):
        """Ends the node as an operator would; raises where it does not end well."""
        if self.process is None or self.process.poll() is not None:
            return
        self.go_on()
        self.process.terminate()
        try:
            status = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            raise RuntimeError(f"{self.name} did not end within {seconds} s")
        if status:
            raise RuntimeError(f"{self.name} ended with {status}: {self.log.read_text()[-2000:]}")


class Proxy:
    """HAProxy with the rules of the file that docs/cluster.md recommends, on a port without TLS."""

    def __init__(self, folder, nodes, has_affinity=True):
        self.port = free_port()
        text = CONFIGURATION.read_text()
        frontend = re.search(r"^frontend http$.*?(?=^frontend https$)", text, re.MULTILINE | re.DOTALL)
        text = text.replace(frontend[0], "")
        text, count = re.subn(r"^( *bind ).* ssl .*$", rf"\g<1>127.0.0.1:{self.port}", text, flags=re.MULTILINE)
        assert count == 1, f"{CONFIGURATION} has {count} lines with `bind … ssl`"
        text, count = re.subn(r'^ *server n\d+ .*\n', "", text, flags=re.MULTILINE)
        assert count, f"{CONFIGURATION} has no server"
        servers = "".join(f"    server {node.name} 127.0.0.1:{node.port}\n" for node in nodes)
        text = text.rstrip("\n") + "\n" + servers
        # One address opens all sessions.
        text = re.sub(r"(presetenv SESSION_LIMIT ).*", r"\g<1>1000000", text)
        if not has_affinity:
            text, count = re.subn(r"balance hdr\(.*\n.*hash-type .*\n", "balance roundrobin\n", text)
            text = re.sub(r"^ *hash-balance-factor .*\n", "", text, flags=re.MULTILINE)
            assert count, f"{CONFIGURATION} has no balance"
        name = f"haproxy-{self.port}"
        self.configuration, self.log = Path(folder, f"{name}.cfg"), Path(folder, f"{name}.log")
        self.configuration.write_text(text)
        self.process = None

    def start(self):
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(["haproxy", "-db", "-f", str(self.configuration)], stdout=log, stderr=log)
        if not wait_until_ready(self.port, 60, lambda: self.process.poll() is None):
            raise RuntimeError(f"HAProxy is not ready: {self.log.read_text()[-2000:]}")
        return self

    def stop(self):
        self.process.kill()
        self.process.wait()
