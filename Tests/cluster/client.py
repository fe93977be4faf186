"""A client that comes back: one connection to each address, and the next address after a lost response."""

import http.client
import json
import time
import uuid

GONE = (OSError, http.client.HTTPException)
# Longer than a failover, shorter than the longest pause of a node.
PATIENCE = 8


class Response:
    def __init__(self, status, headers, content):
        self.status, self.headers, self.content = status, headers, content
        try:
            self.body = json.loads(content) if content else None
        except ValueError:
            self.body = None  # HAProxy's own pages

    @property
    def is_replayed(self):
        return self.headers.get("Idempotency-Replayed") == "true"

    @property
    def tag(self):
        return self.headers.get("ETag")


class Client:
    def __init__(self, ports, number=0):
        self.ports, self.place = ports, number
        self.connections = {}
        # Called with the start, the method, the path and the response (or None) of each request.
        self.observe = lambda *_: None

    def turn(self):
        """Sends what follows to the next address."""
        self.place += 1

    def call(self, method, path, body=None, token=None, **headers):
        """Raises one of GONE if there is no response."""
        port = self.ports[self.place % len(self.ports)]
        connection = self.connections.get(port)
        if connection is None:
            connection = self.connections[port] = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        fields = {name.replace("_", "-"): value for name, value in headers.items() if value}
        if token:
            fields["Authorization"] = f"Bearer {token}"
        content, started = None, time.monotonic()
        if body is not None:
            content, fields["Content-Type"] = json.dumps(body), "application/json"
        try:
            connection.request(method, path, content, fields)
            answer = connection.getresponse()
            response = Response(answer.status, answer.headers, answer.read())
            self.observe(started, method, path, response)
            return response
        except GONE:
            self.observe(started, method, path, None)
            connection.close()
            del self.connections[port]
            raise

    def insist(self, method, path, body=None, token=None, seconds=60, **headers):
        """Sends a request with a key until it is done; for what a test needs before it begins."""
        deadline, key = time.monotonic() + seconds, new_key()
        while True:
            try:
                response = self.call(method, path, body, token, Idempotency_Key=key, **headers)
                if response.status < 300:
                    return response
                problem = f"{response.status} {response.content[:300]}"
                if response.status < 500 and response.status != 429:
                    raise RuntimeError(f"{method} {path}: {problem}")
            except GONE as error:
                problem = repr(error)
            if time.monotonic() > deadline:
                raise RuntimeError(f"{method} {path}: {problem}")
            self.turn()


def new_key():
    return str(uuid.uuid4())
