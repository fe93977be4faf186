#!/usr/bin/env python3
"""Measure what log-ins do to other requests, and whether their time tells anything.

    Benchmarks/door.py .build/release/waypost

1. The 99th percentile of GET of a session, alone and while 8 clients log in all the time; rounds of
   both are interleaved. To be within 3 times.
2. How long a log-in is refused with a wrong password, and how long with an unknown username: 200
   tries of each, interleaved. The medians are to be within 5 % of each other.
"""

import http.client
import json
import multiprocessing
import re
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path

ROUNDS, SECONDS, LOG_INS = 5, 2, 8
TRIES = 200
PASSWORD = "correct horse battery staple"


class Client:
    """One kept connection, which says that it forwards for an address of its own."""

    def __init__(self, port, address="192.0.2.1"):
        self.connection = http.client.HTTPConnection("127.0.0.1", port)
        self.address = address

    def call(self, method, path, token=None, body=None):
        headers = {"Content-Type": "application/json", "X-Forwarded-For": self.address}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        self.connection.request(method, path, json.dumps(body) if body is not None else None, headers)
        answer = self.connection.getresponse()
        return answer.status, answer.read()

    def open(self):
        """Returns the path and the token of a new session at the login root."""
        status, content = self.call("POST", "/v1/sessions", body={})
        assert status == 201, content
        session = json.loads(content)
        return f"/v1/sessions/{session['id']}", session["token"]

    def enter(self, how, path, token, username, password=PASSWORD):
        return self.call("POST", f"{path}/{how}", token, {"username": username, "password": password})[0]


def latencies(client, path, token, seconds):
    """Seconds of each of the requests that one client makes, one after another."""
    times, end = [], time.perf_counter() + seconds
    while (start := time.perf_counter()) < end:
        status, _ = client.call("GET", path, token)
        times.append(time.perf_counter() - start)
        assert status == 200
    return times


def log_in_all_the_time(port):
    """In a process of its own: threads would hold up the client that is measured."""
    threads = [threading.Thread(target=log_in_and_out, args=(port,)) for _ in range(LOG_INS)]
    for thread in threads:
        thread.start()


def log_in_and_out(port):
    client = Client(port)
    path, token = client.open()
    username = f"busy-{time.time_ns()}"
    assert client.enter("sign-up", path, token, username) == 200
    while True:
        assert client.call("POST", f"{path}/log-out", token)[0] == 200
        status = client.enter("log-in", path, token, username)
        assert status == 200, status


def percentile(times, share):
    return sorted(times)[min(int(len(times) * share), len(times) - 1)]


def beside_log_ins(port):
    client = Client(port)
    path, token = client.open()
    latencies(client, path, token, 0.5)
    ratios, p99s = [], []
    for _ in range(ROUNDS):
        alone = percentile(latencies(client, path, token, SECONDS), 0.99)
        others = multiprocessing.Process(target=log_in_all_the_time, args=(port,))
        others.start()
        time.sleep(1)
        beside = percentile(latencies(client, path, token, SECONDS), 0.99)
        others.kill()
        others.join()
        ratios.append(beside / alone)
        p99s.append((alone, beside))
    alone, beside = (statistics.median(p[i] for p in p99s) * 1e3 for i in (0, 1))
    print(f"p99 of GET a session: alone {alone:.2f} ms, beside {LOG_INS} log-ins {beside:.2f} ms, "
          f"ratio {statistics.median(ratios):.2f} (at most 3)")


def refusals(port):
    """200 accounts and 200 names that nobody has, each tried once, so that no rate limit is met."""
    session = Client(port).open()
    for number in range(TRIES):
        client = Client(port)
        path, token = client.open()
        assert client.enter("sign-up", path, token, f"known-{number}") == 200
    times = {"known": [], "unknown": []}
    for number in range(TRIES):
        # The one that comes first takes turns, too.
        for kind in sorted(times, reverse=number % 2 == 0):
            client = Client(port, f"198.51.{100 + number // 200}.{number % 200}")
            client.call("GET", "/livez")
            start = time.perf_counter()
            status = client.enter("log-in", *session, f"{kind}-{number}", "wrong battery staple")
            times[kind].append(time.perf_counter() - start)
            assert status == 403, status
    wrong, unknown = (statistics.median(times[kind]) * 1e3 for kind in ("known", "unknown"))
    print(f"refused log-in: wrong password {wrong:.2f} ms, unknown username {unknown:.2f} ms, "
          f"apart {abs(wrong / unknown - 1) * 100:.1f} % (at most 5)")


def main(binary):
    server = subprocess.Popen(
        [binary, "serve", "--port", "0", "--store", "memory", "--trusted-proxy", "127.0.0.1",
         "--max-new-sessions-per-address", "0", "--max-new-accounts-per-address", "0", "--access-log", "off"],
        stdout=subprocess.PIPE, text=True)
    try:
        port = int(re.search(r":(\d+) ", server.stdout.readline())[1])
        beside_log_ins(port)
        refusals(port)
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main(str(Path(sys.argv[1]).resolve()))
