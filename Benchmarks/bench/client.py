"""A small HTTP client that keeps one connection, for all that is not measured."""

import itertools
import json
import re
import socket
from dataclasses import dataclass

BATCH = 64

_numbers = itertools.count(1)


def new_traceparent():
    """A W3C trace context that no other request of this process has."""
    number = next(_numbers)
    return f"00-{number:032x}-{number:016x}-01"


@dataclass(frozen=True)
class Request:
    """One request of a scenario."""
    method: str
    path: str
    token: str | None = None
    body: str | None = None

    def encoded(self):
        """The bytes that go over the wire, with a `traceparent` of their own: requests that repeat
        byte for byte would measure caches that no real client fills."""
        lines = [f"{self.method} {self.path} HTTP/1.1", "Host: 127.0.0.1",
                 f"traceparent: {new_traceparent()}"]
        if self.token:
            lines.append(f"Authorization: Bearer {self.token}")
        body = b"" if self.body is None else self.body.encode()
        if self.body is not None:
            lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
        return "\r\n".join(lines + ["", ""]).encode() + body


@dataclass(frozen=True)
class Answer:
    """What came back: `headers` as they were sent, `body` as bytes."""
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def json(self):
        """The body, parsed."""
        return json.loads(self.body)


class WrongAnswer(Exception):
    """A server answered with something else than was right: nothing it does counts."""


class Client:
    """One connection to a server. Answers must bear a Content-Length."""

    def __init__(self, server):
        self._socket = socket.create_connection((server.host, server.port), timeout=60)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._received = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._socket.close()

    def send(self, request):
        """Sends `request` and returns its answer; one that is not 2xx is an error."""
        return next(self.send_all([request]))

    def send_all(self, requests):
        """Yields the answers to many requests, which go in batches, without waiting within one."""
        for start in range(0, len(requests), BATCH):
            batch = requests[start:start + BATCH]
            self._socket.sendall(b"".join(request.encoded() for request in batch))
            for request in batch:
                answer = self._receive()
                if not 200 <= answer.status < 300:
                    raise WrongAnswer(f"{request.method} {request.path}: {answer}")
                yield answer

    def _receive(self):
        while b"\r\n\r\n" not in self._received:
            self._read_more()
        head, _, self._received = self._received.partition(b"\r\n\r\n")
        status, *lines = head.decode().split("\r\n")
        headers = tuple(tuple(re.split(r":\s*", line, maxsplit=1)) for line in lines)
        size = next(int(value) for name, value in headers if name.lower() == "content-length")
        while len(self._received) < size:
            self._read_more()
        body, self._received = self._received[:size], self._received[size:]
        return Answer(int(status.split()[1]), headers, body)

    def _read_more(self):
        piece = self._socket.recv(1 << 18)
        if not piece:
            raise WrongAnswer("the connection was closed")
        self._received += piece
