"""A waypost that can be killed, and clients that note what it answered."""

import atexit
import http.client
import json
import re
import subprocess
import uuid


class Service:
    """A running service on a store in `folder`."""

    def __init__(self, binary, folder, *options, environment=None, log=None):
        self.process = subprocess.Popen(
            [binary, "serve", "--port", "0", "--store", f"sqlite:{folder}/waypost.sqlite",
             "--storyboard", f"{folder}/storyboard.json", "--access-log", "off", *options],
            stdout=subprocess.PIPE, stderr=log, text=True, env=environment)
        atexit.register(self.process.kill)  # if the test fails; nothing if it has ended
        line = self.process.stdout.readline()
        if not (match := re.search(r"127\.0\.0\.1:(\d+)", line)):
            raise SystemExit(f"the service did not start: {line!r}")
        self.port = int(match[1])

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        self.process.terminate()
        if status := self.process.wait(40):
            raise SystemExit(f"the service ended with {status}")


STORYBOARD = {
    "name": "Robust", "lifecycle": "forwarded", "initialScene": "root",
    "scenes": {"root": {"kind": "blank",
                        "buttons": [{"title": "Page", "segue": "page"}, {"title": "Tabs", "segue": "tabs"}],
                        "segues": [{"identifier": "page", "kind": "show", "scene": "page", "parameters": {"n": "1"}},
                                   {"identifier": "tabs", "kind": "present", "scene": "tabs"}]},
               "page": {"kind": "blank", "title": "{n}", "parameters": ["n"]},
               "nav": {"kind": "navigation", "root": "root"},
               "tabs": {"kind": "tabBar", "tabs": [{"scene": "nav"}, {"scene": "root"}, {"scene": "nav"}]}},
}


def write_storyboard(folder):
    with open(f"{folder}/storyboard.json", "w") as file:
        json.dump(STORYBOARD, file)


class Client:
    """One connection. Raises OSError or HTTPException when the service goes away."""

    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        self.header = None
        self.content = b""

    @property
    def is_replayed(self):
        """Whether the last response is the one to an earlier request with the same key."""
        return self.header("Idempotency-Replayed") == "true"

    def call(self, method, path, body=None, token=None, key=None, name=None):
        headers = {"Content-Type": "application/json"}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        if key:
            headers["Idempotency-Key"] = key
        if name:
            headers["X-Request-ID"] = name
        data = None if body is None else json.dumps(body)
        self.connection.request(method, path, data, headers)
        answer = self.connection.getresponse()
        self.content = content = answer.read()
        self.header = answer.getheader
        return answer.status, json.loads(content) if content else None

    def open_session(self):
        status, session = self.call("POST", "/v1/sessions")
        assert status == 201, session
        return f"/v1/sessions/{session['id']}", session["token"]


GONE = (OSError, http.client.HTTPException)


def new_key():
    return str(uuid.uuid4())
