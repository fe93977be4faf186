"""Heads of requests with bytes that must not be there, and odd ones that must be answered.

A NUL ends a text in C: what is behind it was cut off unseen once. Each NUL in a head must be refused
with 400, and the connection closed, so that no two parsers can read the head in two ways. Version 1 of
libmicrohttpd closes a connection with a NUL in a request line without an answer, version 0.9 one with a
query of hundreds of parameters (docs/http.md).
"""

import re
import socket
import sys
from pathlib import Path

from service import Client, Crashed, Service

sys.path.append(str(Path(__file__).parents[1] / "edge"))

from wire import major_version

PART = "heads"
# In place of a status: the end of the connection without an answer.
CLOSED = 0
BEHIND = b"GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n"
NUL = b"\0"
# The values are sound: it is the NUL alone that must be refused.
VALUES = [
    (b"Content-Length", b"2"), (b"Transfer-Encoding", b"chunked"), (b"Authorization", None),
    (b"Host", b"a.example"), (b"Content-Type", b"application/json"), (b"Accept", b"*/*"),
    (b"Connection", b"keep-alive"), (b"Expect", b"100-continue"), (b"If-Match", b'"1"'),
    (b"If-None-Match", b'"1"'), (b"Idempotency-Key", b"a-key"), (b"Range", b"bytes=0-1"),
    (b"Origin", b"https://a.example"), (b"X-Forwarded-For", b"192.0.2.1"), (b"Cookie", b"a=b"),
    (b"X-Request-ID", b"an-id"), (b"Prefer", b"return=minimal"), (b"X-Else", b"value"),
    (b"traceparent", b"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"),
]


class Case:
    """
    - rule: what cases of one kind have in common; a finding is reported once for it.
    - statuses: any of them will do.
    - must_close: whether the connection must end behind the answer.
    """

    def __init__(self, name, data, statuses=(400,), must_close=True, rule=None):
        self.name, self.data, self.rule = name, data, rule or name
        self.statuses, self.must_close = statuses, must_close


def places(data):
    """The text with a NUL at its start, in its middle, at its end, and instead of all of it."""
    middle = len(data) // 2
    yield "at the start of", NUL + data
    if middle:
        yield "in", data[:middle] + NUL + data[middle:]
    yield "at the end of", data + NUL
    yield "and more behind", data + NUL + b"9"
    yield "alone as", NUL


def head(method=b"GET", target=b"/livez", version=b"HTTP/1.1", fields=((b"Host", b"a"),)):
    lines = [b"%s %s %s" % (method, target, version), *(b"%s: %s" % field for field in fields)]
    return b"\r\n".join(lines) + b"\r\n\r\n"


def nul_case(place, part, data, **options):
    return Case(f"a NUL {place} {part}", data, rule=f"a NUL in {part} is refused", **options)


def nul_cases(session, token, major):
    statuses = (400, CLOSED) if major else (400,)
    for place, data in places(b"GET"):
        yield nul_case(place, "the method", head(method=data), statuses=statuses)
    for part, text in (("the path", b"/livez"), ("the query", b"/v1/catalog/authors?limit=5"),
                       ("the absolute target", b"http://a/livez")):
        for place, data in places(text):
            yield nul_case(place, part, head(target=data), statuses=statuses)
    yield Case("a NUL between the path and another", head(target=b"/livez\0/../junk"), statuses)
    for place, data in places(b"HTTP/1.1"):
        yield nul_case(place, "the version", head(version=data), statuses=(505, *statuses))
    for name in (b"Host", b"X-Else", b"Content-Length", b"Transfer-Encoding"):
        for place, data in places(name):
            fields = ((b"Host", b"a"), (data, b"1"))
            yield nul_case(place, f"the name {name.decode()}", head(fields=fields))
    for name, value in VALUES:
        yield from value_cases(name, value or b"Bearer " + token, session)


def value_cases(name, value, session):
    fields = [(b"Host", b"a")] if name != b"Host" else []
    method, target, body = b"GET", b"/livez", b""
    if name == b"Authorization":
        target = b"/v1/sessions/" + session
    elif name in (b"Content-Length", b"Transfer-Encoding", b"Content-Type", b"Expect"):
        method, target = b"POST", b"/v1/sessions"
        body = b"2\r\n{}\r\n0\r\n\r\n" if name == b"Transfer-Encoding" else b"{}"
        if name != b"Content-Type":
            fields.append((b"Content-Type", b"application/json"))
        if name in (b"Content-Type", b"Expect"):
            fields.append((b"Content-Length", b"2"))
    for place, data in places(value):
        yield nul_case(place, f"the value of {name.decode()}",
                       head(method, target, fields=[*fields, (name, data)]) + body)


def odd_cases(major):
    """Heads that are odd: whatever the service makes of them, it must say so."""
    chunks = b"2\r\n{}\r\n0\r\n\r\n"
    for name, value in (("a blank", b"chunked "), ("a tab", b"chunked\t"), ("blanks", b" \tchunked \t")):
        fields = [(b"Host", b"a"), (b"Content-Type", b"application/json"),
                  (b"Transfer-Encoding", value)]
        yield Case(f"Transfer-Encoding: chunked and {name}",
                   head(b"POST", b"/v1/sessions", fields=fields) + chunks,
                   statuses=(201, 400), must_close=False)
    yield Case("a query of 100 ampersands", head(target=b"/livez?" + b"&" * 100), statuses=(200,),
               must_close=False)
    statuses = (400, 414, 431) if major else (CLOSED,)
    for count in (600, 1000, 5000):
        yield Case(f"a query of {count} ampersands", head(target=b"/livez?" + b"&" * count),
                   statuses=(200, *statuses), must_close=False)
    for count in (600, 1000):
        parameters = b"&".join(b"a=%d" % number for number in range(count))
        yield Case(f"a query of {count} parameters", head(target=b"/livez?" + parameters),
                   statuses=statuses, must_close=False)


def is_whole(received):
    """Whether an answer has come with all of its body."""
    head, end, body = received.partition(b"\r\n\r\n")
    length = re.search(rb"\r\ncontent-length: *([0-9]+)", head.lower())
    return bool(end) and len(body) >= (int(length[1]) if length else 0)


def play(port, case):
    """Returns what is wrong with the answer; None if nothing is."""
    with socket.create_connection(("127.0.0.1", port), 5) as wire:
        received = b""
        try:
            wire.sendall(case.data)
            while not is_whole(received) and (piece := wire.recv(65536)):
                received += piece
            # Only now: a service that closes a connection with unread bytes resets it, and its answer
            # is lost.
            wire.sendall(BEHIND)
            # An end on our side, so that a service that goes on to read comes to one.
            wire.shutdown(socket.SHUT_WR)
            while piece := wire.recv(65536):
                received += piece
        except TimeoutError:
            return f"the connection stays open; received: {received[:100]!r}"
        except OSError:
            pass
    status = int(received.split(b" ", 2)[1]) if received else CLOSED
    if status == CLOSED and CLOSED not in case.statuses:
        return "no answer"
    if status == 100 and 400 not in (status, *case.statuses):
        return "asked to go on"
    if status not in case.statuses:
        return f"answered with {status}, not {' or '.join(map(str, case.statuses))}"
    if case.must_close and b'"status":"ready"' in received:
        return "the next request on the connection was answered"
    return None


def hunt(waypost, folder, findings, **_):
    service = Service(waypost, "memory", "--header-timeout", "1s", "--body-timeout", "1s")
    session, token = Client(service).open_session()
    major = major_version(service.process)
    cases = [*nul_cases(session.encode(), token.encode(), major), *odd_cases(major)]
    for case in cases:
        try:
            defect = play(service.port, case)
            service.check_alive()
        except (Crashed, OSError) as error:
            findings.add(PART, "the process ended", f"{case.name}: {error}")
            service = Service(waypost, "memory")
            continue
        if defect:
            shown = case.data if len(case.data) < 200 else case.data[:100] + b"..."
            findings.add(PART, case.rule, f"{case.name}: {defect}: {shown!r}")
    service.stop()
    print(f"heads: {len(cases)} heads")
