#!/usr/bin/env python3
"""Measure what streams of changes cost, and what they cost the other requests.

    Benchmarks/streams.py [--streams 10000] [--rounds 6] WAYPOST

Needs wrk and .build-bench of `make bench-tools`. The client holds all streams itself, on the same
machine. Figures with a goal are printed with it; a missed goal is marked and does not end the run.
"""

import argparse
import re
import resource
import select
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from bench import scenarios
from bench.client import Client
from bench.contenders import DURABLE, FEW, Contender
from bench.measure import Meter
from bench.server import Server, serve_command
from bench.sessions import open_sessions, sign_up

TOOLS = Path(__file__).resolve().parent.parent / ".build-bench"
OPTIONS = ["--max-streams", "10000", "--max-streams-per-session", "10000", "--max-connections", "4000"]


def say(name, value, goal=None, met=True):
    print(f"| {name} | {value} | {goal or ''} | {'' if goal is None else 'yes' if met else 'NO'} |",
          flush=True)


class Streams:
    """Open streams, with the time at which each message came."""

    def __init__(self, server):
        self._server = server
        self._epoll = select.epoll()
        self._sockets = {}

    def open(self, sessions, rate=None):
        """Opens one stream for each session, and waits for its first message."""
        begin = time.perf_counter()
        for start in range(0, len(sessions), 100):
            if rate:
                time.sleep(max(begin + start / rate - time.perf_counter(), 0))
            fresh = []
            for session in sessions[start:start + 100]:
                stream = socket.create_connection((self._server.host, self._server.port))
                head = (f"GET {session.path}/changes HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                        f"Authorization: Bearer {session.token}\r\n\r\n")
                stream.sendall(head.encode())
                fresh.append(stream)
            for stream in fresh:
                received = b""
                while b"event: snapshot" not in received or not received.endswith(b"\n\n\r\n"):
                    piece = stream.recv(65_536)
                    if not piece:
                        raise RuntimeError(f"a stream was refused: {received[:300]!r}")
                    received += piece
                stream.setblocking(False)
                self._sockets[stream.fileno()] = stream
                self._epoll.register(stream.fileno(), select.EPOLLIN)

    def messages(self, seconds, count=None):
        """Yields the time of each change that comes, for so long or until there were `count`."""
        end = time.perf_counter() + seconds
        found = 0
        while (left := end - time.perf_counter()) > 0 and found != count:
            for descriptor, _ in self._epoll.poll(left, 4096):
                piece = self._sockets[descriptor].recv(262_144)
                now = time.perf_counter()
                if not piece:
                    raise RuntimeError("a stream ended")
                for _ in range(piece.count(b"event: change")):
                    found += 1
                    yield now

    def close(self):
        for stream in self._sockets.values():
            stream.close()
        self._sockets = {}
        self._epoll.close()


def kernel_memory():
    """Slab and socket buffers, in bytes."""
    text = Path("/proc/meminfo").read_text()
    slab = int(re.search(r"^Slab:\s+(\d+)", text, re.M)[1]) * 1024
    pages = int(re.search(r"^TCP:.* mem (\d+)", Path("/proc/net/sockstat").read_text(), re.M)[1])
    return slab + pages * 4096


def percentile(values, share):
    return sorted(values)[min(int(len(values) * share), len(values) - 1)]


class Reader(threading.Thread):
    """Reads a session again and again in another process, and keeps the latencies in seconds."""

    CODE = """
import http.client, select, sys, time
connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]))
print("ready", flush=True)
times = []
while not select.select([sys.stdin], [], [], 0)[0]:
    start = time.perf_counter()
    connection.request("GET", sys.argv[2], headers={"Authorization": "Bearer " + sys.argv[3]})
    connection.getresponse().read()
    times.append(time.perf_counter() - start)
    time.sleep(0.002)
print(*times)
"""

    def __init__(self, server, session):
        self._process = subprocess.Popen(
            [sys.executable, "-c", self.CODE, str(server.port), session.path, session.token],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._process.stdout.readline()

    def stop(self):
        self._process.stdin.write("\n")
        self._process.stdin.close()
        return [float(each) for each in self._process.stdout.read().split()]


def measure_streams(binary, count):
    """Memory, opening, heartbeats and delays, with a session of its own for each stream."""
    with Server(serve_command(binary, "--store", "memory", *OPTIONS)) as server:
        with Client(server) as client:
            credential = sign_up(client)
        sessions = open_sessions(server, count + 1, credential)
        reader_session = sessions.pop()
        memory, kernel = server.resident_memory(), kernel_memory()
        streams = Streams(server)
        start = time.perf_counter()
        streams.open(sessions[:count // 2])
        rate = count // 2 / (time.perf_counter() - start)
        say("streams opened a second", f"{rate:,.0f}", "≥ 1,000", rate >= 1000)
        reader = Reader(server, reader_session)
        streams.open(sessions[count // 2:], rate=2000)
        p99 = percentile(reader.stop(), 0.99) * 1e3
        say("GET p99 while 2,000 a second are opened", f"{p99:.1f} ms", "< 10 ms", p99 < 10)
        grown = server.resident_memory() - memory
        say("memory for a stream, each of its own session", f"{grown / count:,.0f} B", "≤ 3,072 B",
            grown / count <= 3072)
        say(f"memory for {count:,} streams", f"{grown / 1e6:.0f} MB", "≤ 40 MB", grown <= 40e6)
        # Both ends are on this machine.
        both = (kernel_memory() - kernel) / count / 2
        say("kernel memory for one end of a stream", f"{both:,.0f} B", "≤ 6,144 B", both <= 6144)
        delays = changes(server, streams, sessions, 100, 10)
        p50, p99 = statistics.median(delays) * 1e3, percentile(delays, 0.99) * 1e3
        say("commit to client, 100 changes a second: p50", f"{p50:.2f} ms", "≤ 0.5 ms", p50 <= 0.5)
        say("commit to client, 100 changes a second: p99", f"{p99:.2f} ms", "≤ 5 ms", p99 <= 5)
        cpu = server.cpu_seconds()
        for _ in streams.messages(30):
            pass
        share = (server.cpu_seconds() - cpu) / 30
        say("heartbeats every 15 s", f"{share * 100:.1f} % of a core", "≤ 1 %", share <= 0.01)
        say(f"memory for {count:,} streams after them",
            f"{(server.resident_memory() - memory) / 1e6:.0f} MB")
        streams.close()


def changes(server, streams, sessions, rate, seconds):
    """Makes changes at a rate.

    - Returns: the time from each request to its message on the stream. The way of the request is part of
      it, so that the time from the commit is shorter.
    """
    delays = []
    with Client(server) as client:
        start = time.perf_counter()
        for number in range(rate * seconds):
            session = sessions[number * 7919 % len(sessions)]
            while time.perf_counter() < start + number / rate:
                for _ in streams.messages(max(start + number / rate - time.perf_counter(), 0)):
                    raise RuntimeError("a message without a change")
            sent = time.perf_counter()
            client._socket.sendall(session.push().encoded())
            (arrived,) = streams.messages(5, 1)
            delays.append(arrived - sent)
            client._received = b""
            client._socket.recv(65_536)
    return delays


def measure_shared(binary, count):
    """All streams of one session."""
    with Server(serve_command(binary, "--store", "memory", *OPTIONS)) as server:
        with Client(server) as client:
            credential = sign_up(client)
        session, other = open_sessions(server, 2, credential)
        memory = server.resident_memory()
        streams = Streams(server)
        streams.open([session] * count)
        grown = (server.resident_memory() - memory) / count
        say("memory for a stream, all of one session", f"{grown:,.0f} B", "≤ 1,024 B", grown <= 1024)
        reader = Reader(server, other)
        lasts = []
        with Client(server) as client:
            for _ in range(10):
                sent = time.perf_counter()
                client.send(session.push())
                arrived = list(streams.messages(10, count))
                if len(arrived) != count:
                    raise RuntimeError(f"{len(arrived)} of {count} messages came")
                lasts.append((arrived[-1] - sent) * 1e3)
                time.sleep(0.2)
        times = reader.stop()
        say(f"one change to {count:,} watchers, the last one: worst of 10", f"{max(lasts):.0f} ms",
            "≤ 150 ms", max(lasts) <= 150)
        p99 = percentile(times, 0.99) * 1e3
        say("GET p99 meanwhile", f"{p99:.1f} ms", "≤ 20 ms", p99 <= 20)
        streams.close()


def measure_silent(binary):
    """Clients that read nothing, with changes on their sessions."""
    with Server(serve_command(
            binary, "--store", "memory", *OPTIONS, "--send-timeout", "5s")) as server:
        with Client(server) as client:
            credential = sign_up(client)
        sessions = open_sessions(server, 1001, credential)
        other = sessions.pop()
        silent = []
        for session in sessions:
            stream = socket.socket()
            stream.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            stream.connect((server.host, server.port))
            stream.sendall((f"GET {session.path}/changes HTTP/1.1\r\nHost: h\r\n"
                            f"Authorization: Bearer {session.token}\r\n\r\n").encode())
            silent.append(stream)
        streams = Streams(server)
        streams.open([other])
        memory, peak = server.resident_memory(), 0
        delays = []
        with Client(server) as client:
            end = time.perf_counter() + 20
            number = 0
            while time.perf_counter() < end:
                requests = []
                for _ in range(200):
                    session = sessions[number % len(sessions)]
                    requests.append(session.push() if number // 1000 % 2 == 0 else session.pop())
                    number += 1
                list(client.send_all(requests))
                sent = time.perf_counter()
                client._socket.sendall(other.push().encoded())
                delays += [arrived - sent for arrived in streams.messages(5, 1)]
                client._received = b""
                client._socket.recv(65_536)
                peak = max(peak, server.resident_memory() - memory)
        say(f"1,000 clients that read nothing, {number:,} changes: growth", f"{peak / 1e6:.0f} MB",
            "≤ 67 MB", peak <= 64 << 20)
        p99 = percentile(delays, 0.99) * 1e3
        say("another stream's delay meanwhile: p99", f"{p99:.2f} ms")
        streams.close()
        for stream in silent:
            stream.close()


def measure_rates(binary, count, rounds):
    """Ordinary requests, with idle streams and without."""
    compared = [scenarios.GET_SESSION, scenarios.PUSH_POP, scenarios.DURABLE[2]]
    with tempfile.TemporaryDirectory(dir=TOOLS) as folder:
        servers, streams, meters = [], [], []
        try:
            for name in ("idle", "without"):
                waypost = {}
                for variant, size in (("memory", FEW), ("durable", DURABLE)):
                    store = f"sqlite:{folder}/{name}.sqlite" if variant == "durable" else "memory"
                    server = Server(serve_command(binary, "--store", store, *OPTIONS))
                    servers.append(server)
                    with Client(server) as client:
                        credential = sign_up(client)
                    waypost[variant] = Contender(
                        "Waypost", server, open_sessions(server, size, credential))
                    if name == "idle":
                        own = Streams(server)
                        own.open(open_sessions(server, count // 2, credential))
                        streams.append(own)
                meters.append((Meter(None, TOOLS / "load", 1), waypost))
            rates = {}
            for number in range(rounds):
                for scenario in compared:
                    # Who comes first takes turns.
                    for index in (0, 1) if number % 2 else (1, 0):
                        meter, waypost = meters[index]
                        sample = meter.measure(scenario, waypost[scenario.variant])
                        rates.setdefault((scenario.name, index), []).append(sample.rate)
            for scenario in compared:
                ratio = statistics.median(
                    one / other for one, other in
                    zip(rates[scenario.name, 0], rates[scenario.name, 1]))
                say(f"{scenario.name}: rate with {count // 2:,} idle streams to that without",
                    f"{ratio:.3f}", "≥ 0.97", ratio >= 0.97)
        finally:
            for each in streams:
                each.close()
            for server in servers:
                server.stop()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--streams", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=6)
    options = parser.parse_args()
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    print(f"{options.streams:,} streams\n\n| figure | measured | goal | met |\n| --- | ---: | ---: | --- |")
    measure_streams(options.binary, options.streams)
    measure_shared(options.binary, options.streams)
    measure_silent(options.binary)
    measure_rates(options.binary, options.streams, options.rounds)


if __name__ == "__main__":
    main()
