"""A waypost that may be attacked, and a client that counts bytes and notices the end of the process."""

import atexit
import http.client
import json
import os
import re
import subprocess
import time
from pathlib import Path

PASSWORD = "correct horse battery staple"
# The hunters meet the limits on purpose or not at all.
OPTIONS = ["--access-log", "off", "--log-level", "error", "--max-new-sessions-per-address", "0",
           "--max-new-accounts-per-address", "0"]
GONE = (OSError, http.client.HTTPException)


class Crashed(Exception):
    """The process has ended, or a service has not started."""


class Unanswered(Exception):
    """The process lives, but it closed the connection or took too long."""


class Service:
    """A running service. It is killed at the end of this process at the latest."""

    def __init__(self, binary, store, *options):
        """
        - store: `memory`, the path of a SQLite file, or the URL of a PostgreSQL database.
        - options: more options of `waypost serve`.
        """
        self.log = None
        name = store if store == "memory" or "://" in str(store) else f"sqlite:{store}"
        environment = os.environ | {"SWIFT_BACKTRACE": "enable=no"}
        # A file, as nobody reads a pipe in time.
        self.errors = open(os.memfd_create("stderr"), "w+b")
        self.process = subprocess.Popen(
            [binary, "serve", "--port", "0", "--store", name, *OPTIONS, *options],
            stdout=subprocess.PIPE, stderr=self.errors, text=True, env=environment)
        atexit.register(self.kill)
        line = self.process.stdout.readline()
        if not (match := re.search(r"127\.0\.0\.1:(\d+)", line)):
            self.kill()
            raise Crashed(f"the service did not start: {self.messages()}")
        self.port = int(match[1])

    def messages(self):
        """Why the process ended, as far as it said so on standard error."""
        self.errors.seek(0)
        return reason(self.errors.read().decode(errors="replace"))

    def is_alive(self):
        return self.process.poll() is None

    def check_alive(self):
        if not self.is_alive():
            raise Crashed(f"the process ended with {self.process.returncode}: {self.messages()}")

    def judge(self, error):
        """Returns what a failed request means: Crashed, or Unanswered."""
        try:
            # A process that crashes closes its connections before it has ended.
            self.process.wait(2)
        except subprocess.TimeoutExpired:
            return Unanswered(f"no answer: {type(error).__name__} {error}")
        return Crashed(f"the process ended with {self.process.returncode}: {self.messages()}")

    def kill(self):
        if self.is_alive():
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        atexit.unregister(self.kill)

    def stop(self):
        """Stops the service in an orderly way. Raises Crashed unless it ends with 0 in time."""
        self.process.terminate()
        try:
            status = self.process.wait(40)
        except subprocess.TimeoutExpired:
            self.kill()
            raise Crashed("the service did not stop within 40 s of SIGTERM") from None
        self.kill()
        if status:
            raise Crashed(f"the service stopped with {status}: {self.messages()}")


def reason(text):
    """The line of standard error that says why a process ended."""
    lines = [line for line in text.strip().splitlines() if not line.startswith("warning: ")]
    reasons = [line for line in lines if "atal error" in line or "failure" in line]
    return " ".join(reasons[:1] or lines[-1:])[:300]


class Answer:
    """
    - sent: how many bytes the request had, head and body.
    - content: the JSON of the body; None if there is none.
    """

    def __init__(self, status, fields, body, sent):
        self.status, self.fields, self.body, self.sent = status, fields, body, sent
        self.type = fields.get("content-type", "").split(";")[0]
        self.content = None
        if self.type.endswith("json") and body:
            self.content = json.loads(body)

    @property
    def code(self):
        return self.content.get("code") if self.type == "application/problem+json" else None

    @property
    def tag(self):
        return self.fields.get("etag")

    def __str__(self):
        return f"{self.status} {self.body[:200].decode(errors='replace')}"


class Client:
    """One connection, opened again when the service has closed it."""

    def __init__(self, service, timeout=20):
        self.service, self.timeout = service, timeout
        self.connection = None
        self.sent = self.received = 0

    def call(self, method, path, body=None, token=None, fields=None):
        """
        - body: bytes, or a value that is sent as JSON.
        - token: of a session, or a credential.
        Raises Crashed and Unanswered.
        """
        headers = dict(fields or {})
        if token:
            headers.setdefault("Authorization", f"Bearer {token}")
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
        if body is not None:
            headers.setdefault("Content-Type", "application/json")
        for attempt in (1, 2):
            is_new = self.connection is None
            if is_new:
                self.connection = http.client.HTTPConnection(
                    "127.0.0.1", self.service.port, timeout=self.timeout)
            try:
                return self.exchange(method, path, body, headers)
            except GONE as error:
                self.close()
                # A kept connection may have been closed before the request came.
                if attempt == 2 or is_new or isinstance(error, TimeoutError):
                    raise self.service.judge(error) from None

    def exchange(self, method, path, body, headers):
        self.connection.request(method, path, body, headers)
        # Close to what http.client sends: the request line, Host, and each field.
        sent = len(method) + len(path) + 60 + len(body or b"")
        sent += sum(len(name) + len(str(value)) + 4 for name, value in headers.items())
        response = self.connection.getresponse()
        content = response.read()
        fields = {name.lower(): value for name, value in response.getheaders()}
        if response.will_close:
            self.close()
        self.sent += sent
        self.received += len(content)
        return Answer(response.status, fields, content, sent)

    def close(self):
        if self.connection:
            self.connection.close()
        self.connection = None

    def open_session(self, **body):
        answer = self.call("POST", "/v1/sessions", body)
        if answer.status != 201:
            raise Unanswered(f"no session could be opened: {answer}")
        return answer.content["id"], answer.content["token"]


def size_of_store(path):
    """How many bytes the files of a SQLite store have together."""
    paths = [Path(str(path) + suffix) for suffix in ("", "-wal")]
    return sum(path.stat().st_size for path in paths if path.exists())


class Budget:
    """Seconds that a hunter may take."""

    def __init__(self, seconds):
        self.end = time.monotonic() + seconds

    def left(self):
        return self.end - time.monotonic()

    def __bool__(self):
        return self.left() > 0
