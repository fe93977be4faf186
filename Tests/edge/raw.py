#!/usr/bin/env python3
"""Malformed and odd requests, byte by byte, and JSON documents, sound and unsound.

    raw.py WAYPOST

Each request of cases.py must get the statuses that the table has for the service's version of
libmicrohttpd, and its connection must be closed or go on as the table says; and after each a healthy
request on a new connection is served. No connection may stay open in the service. Each document of documents.py must be taken or refused as its
kind says.
"""

import json
import os
import socket
import struct
import sys
import time

import documents
import cases
from wire import Closed, Wire, major_version, serve


def play(port, case):
    wire = Wire(port)
    for piece in case.pieces:
        if piece is cases.HALF_CLOSE:
            wire.socket.shutdown(socket.SHUT_WR)
        elif piece is cases.RESET:
            wire.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            wire.socket.close()
            return
        elif piece is cases.AWAIT:
            wire.answer()
        else:
            wire.send(piece)
    for status in case.statuses:
        try:
            answer = wire.answer(case.has_content)
        except Closed as closed:
            raise AssertionError(f"closed before a {status}: {closed}") from None
        assert answer.status == status, f"{answer.status} {answer.body[:200]}, not {status}"
        assert status < 500 or status in (503, 505) or case.is_html, "a failure of the service"
        if status >= 400 and case.has_content:
            is_problem = answer.fields.get("content-type") == "application/problem+json"
            assert is_problem != case.is_html, f"{answer.fields}"
            if is_problem:
                assert json.loads(answer.body)["status"] == status
        for name, value in case.fields.items():
            assert answer.fields.get(name) == value, f"{name}: {answer.fields.get(name)}"
    if case.closes:
        if not case.is_html:
            assert not wire.received, f"more came: {wire.received[:200]}"
        assert wire.is_closed()
        assert case.is_html or not wire.received, f"more came: {wire.received[:200]}"
    else:
        # If the request had another end for the service than for us, this answers something else.
        wire.send(cases.get("/livez"))
        answer = wire.answer()
        assert answer.status == 200 and answer.body == b'{"status":"live"}', answer.body


def check_requests(port, major):
    failures = 0
    for case in (case.result(major) for case in cases.CASES):
        started = time.monotonic()
        try:
            play(port, case)
        except (AssertionError, Closed, OSError) as error:
            failures += 1
            print(f"{case.name}: {type(error).__name__} {error}", file=sys.stderr)
        if not case.is_slow and time.monotonic() - started > 5:
            failures += 1
            print(f"{case.name}: took {time.monotonic() - started:.1f} s", file=sys.stderr)
        healthy = Wire(port)
        healthy.send(cases.get("/livez"))
        if healthy.answer().status != 200:
            raise SystemExit(f"after {case.name} nobody is served")
    return failures


def check_documents(port):
    failures = 0
    wire = Wire(port)
    for kind, name, document in documents.DOCUMENTS:
        started = time.monotonic()
        wire.send(cases.post(document))
        answer = wire.answer()
        code = json.loads(answer.body).get("code")
        is_refused = answer.status == 400
        is_right = {
            "y": not is_refused and answer.status in (201, 422),
            "n": is_refused and code == "malformed-json",
            "i": answer.status in (201, 400, 422),
        }[kind]
        if not is_right:
            failures += 1
            print(f"{kind}_{name}: {answer.status} {answer.body[:200]}", file=sys.stderr)
        if time.monotonic() - started > 2:
            failures += 1
            print(f"{kind}_{name}: took {time.monotonic() - started:.1f} s", file=sys.stderr)
    return failures


def check_descriptors(process, before):
    """Waits until the service has closed the connections of all requests."""
    deadline = time.monotonic() + 10
    while (count := len(os.listdir(f"/proc/{process.pid}/fd"))) > before:
        if time.monotonic() > deadline:
            print(f"{count - before} descriptors stay open", file=sys.stderr)
            return 1
        time.sleep(0.05)
    return 0


def main():
    process, port = serve(
        sys.argv[1], "--header-timeout", "2s", "--body-timeout", "2s", "--max-connections", "200")
    major = major_version(process)
    check_documents(port)  # The store opens its files.
    before = len(os.listdir(f"/proc/{process.pid}/fd"))
    failures = (check_requests(port, major) + check_documents(port)
                + check_descriptors(process, before))
    process.terminate()
    if status := process.wait(40):
        raise SystemExit(f"the service ended with {status}")
    print(f"raw: {len(cases.CASES)} requests, {len(documents.DOCUMENTS)} documents, "
          f"{failures or 'none'} not as expected with libmicrohttpd {major}.x")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
