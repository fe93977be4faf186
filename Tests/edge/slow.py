#!/usr/bin/env python3
"""Slow clients: all are cut off at their deadline, and a healthy one does not notice.

    slow.py WAYPOST [--connections 2000]

Each round opens that many connections at once. A third sends a head byte by byte, a third a body, and
a third reads its answers byte by byte. Then

- each is cut off at its deadline, neither before nor much later;
- the service has as many open files as before, and no more memory from round to round;
- a healthy client's requests take about as long as before. Its times are noise on a busy machine: only
  what nobody could call noise is a failure.
"""

import argparse
import json
import os
import selectors
import socket
import statistics
import subprocess
import sys
import time

import cases
from wire import Wire, serve

HEADER, BODY, SEND = 3, 3, 2
ROUNDS = 2
ESTABLISHED = 1  # TCP_INFO
# A large answer may take a second more for each 16 KiB; and a deadline is noticed a little later.
LATEST = max(HEADER, BODY, SEND) + 8


class SlowClient:
    def __init__(self, port, kind):
        self.kind, self.cut = kind, None
        self.socket = socket.socket()
        if kind == "reading":
            # Little of the answer fits into the system's buffers.
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 536)
        self.socket.connect(("127.0.0.1", port))
        self.socket.setblocking(False)
        self.started = time.monotonic()
        self.socket.send({
            "head": b"GET /livez HTTP/1.1\r\nX: ",
            "body": cases.with_body("Content-Length: 60000"),
            "reading": cases.get(cases.COVER) * 20,
        }[kind])

    def step(self):
        """One byte more."""
        try:
            if self.kind == "reading":
                self.socket.recv(1)
                # What has come before a reset could still be read, for hours.
                state = self.socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0]
                is_open = state == ESTABLISHED
            else:
                self.socket.send(b"x")
                is_open = True
        except BlockingIOError:
            is_open = True
        except OSError:
            is_open = False
        if not is_open:
            self.end()

    def end(self):
        self.cut = time.monotonic() - self.started
        self.socket.close()


def slow_clients(port, count):
    """In a process of their own. Says when all are open, and in the end how long each was let."""
    kinds = ["head", "body", "reading"]
    clients = [SlowClient(port, kinds[n % 3]) for n in range(count)]
    print("open", flush=True)
    limit = time.monotonic() + LATEST + 5
    selector = selectors.DefaultSelector()
    for client in clients:
        if client.kind != "reading":
            selector.register(client.socket, selectors.EVENT_READ, client)
    pending = set(clients)
    while pending and time.monotonic() < limit:
        step_at = time.monotonic() + 0.3
        while (rest := step_at - time.monotonic()) > 0:
            for key, _ in selector.select(rest):
                selector.unregister(key.fileobj)
                key.data.end()
                pending.discard(key.data)
        for client in list(pending):
            client.step()
            if client.cut is not None:
                if client.kind != "reading":
                    selector.unregister(client.socket)
                pending.discard(client)
    print(json.dumps({kind: [c.cut for c in clients if c.kind == kind] for kind in kinds}))


def times(port, seconds):
    """Of a healthy client's requests, in milliseconds; each tenth on a connection of its own."""
    wire, found, end = Wire(port), [], time.monotonic() + seconds
    while time.monotonic() < end:
        started = time.monotonic()
        if len(found) % 10 == 9:
            wire.socket.close()
            wire = Wire(port)
        wire.send(cases.get("/v1/catalog/authors"))
        assert wire.answer().status == 200
        found.append((time.monotonic() - started) * 1000)
    wire.socket.close()
    return found


def p99(found):
    return statistics.quantiles(found, n=100)[98]


def descriptors(process):
    return len(os.listdir(f"/proc/{process.pid}/fd"))


def memory(process):
    """In MB."""
    with open(f"/proc/{process.pid}/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS")) / 1024


def play(process, port, count):
    clients = subprocess.Popen(
        [sys.executable, __file__, "--slow", str(port), str(count)], stdout=subprocess.PIPE,
        text=True)
    assert clients.stdout.readline() == "open\n"
    during = times(port, 1)
    highest = descriptors(process)
    during += times(port, 1)
    cuts = json.loads(clients.stdout.read())
    assert clients.wait() == 0
    for kind, deadline in ("head", HEADER), ("body", BODY), ("reading", SEND):
        left = sum(cut is None for cut in cuts[kind])
        assert not left, f"{left} of {len(cuts[kind])} that are slow with the {kind} are not cut off"
        first, last = min(cuts[kind]), max(cuts[kind])
        assert first > deadline - 0.5, f"{kind}: cut off after {first:.1f} s"
        assert last < LATEST, f"{kind}: cut off after {last:.1f} s"
        print(f"slow {kind}: {len(cuts[kind])} cut off after {first:.1f} to {last:.1f} s")
    return highest, during


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("waypost")
    parser.add_argument("--connections", type=int, default=2000)
    options = parser.parse_args()
    process, port = serve(
        options.waypost, "--header-timeout", f"{HEADER}s", "--body-timeout", f"{BODY}s",
        "--send-timeout", f"{SEND}s", "--max-connections", "5000")
    before = times(port, 2)
    start, memories = descriptors(process), [memory(process)]
    for _ in range(ROUNDS):
        highest, during = play(process, port, options.connections)
        assert highest > start + options.connections * 0.9, "the service had not taken them all"
        limit = time.monotonic() + 10
        while (left := descriptors(process)) > start + 1 and time.monotonic() < limit:
            time.sleep(0.05)
        assert left <= start + 1, f"{start} open files became {left}"
        memories.append(memory(process))
        ratio = p99(during) / p99(before)
        print(f"healthy: p99 {p99(before):.2f} ms before, {p99(during):.2f} ms during: {ratio:.1f} "
              f"times; {start} files, {highest} during, {left} after; "
              f"{memories[-2]:.0f} MB before, {memories[-1]:.0f} MB after")
        assert p99(during) < 1000, "a healthy client waits for slow ones"
    assert memories[1] - memories[0] < 32 and memories[2] - memories[1] < 8, memories
    process.terminate()
    if status := process.wait(40):
        raise SystemExit(f"the service ended with {status}")


if __name__ == "__main__":
    if sys.argv[1] == "--slow":
        slow_clients(int(sys.argv[2]), int(sys.argv[3]))
    else:
        main()
