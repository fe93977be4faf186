#!/usr/bin/env python3
"""Measure a release build of waypost with wrk, as ratios within one run.

    Benchmarks/run.py .build/release/waypost

Every scenario is measured in several rounds, interleaved with the cheapest route there is
(GET /livez = 1.0), so that a machine that slows down slows both. Medians are printed.
"""

import json
import re
import statistics
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

ROUNDS, SECONDS, CONNECTIONS = 3, 2, 32
BASELINE = "GET /livez"

PUSH_POP = """
local n = 0
request = function()
  n = n + 1
  if n % 2 == 1 then return wrk.format("POST", "{path}/push", nil, '{{"scene":"titles"}}') end
  return wrk.format("POST", "{path}/pop", nil, "{{}}")
end
"""


def call(url, token=None, body=None):
    headers = {"Content-Type": "application/json"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(url, data, headers)) as answer:
        return json.load(answer)


def open_session(base):
    """Returns the path and the token of a session at the app root."""
    session = call(f"{base}/v1/sessions", body={})
    path = f"/v1/sessions/{session['id']}"
    account = {"username": f"bench-{session['id'][:8]}", "password": "correct horse battery staple"}
    call(f"{base}{path}/sign-up", session["token"], account)
    return path, session["token"]


def measure(url, token=None, script=None):
    """Returns answers a second; anything but 2xx ends the run."""
    command = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{SECONDS}s", "-H", "Content-Type: application/json"]
    if token:
        command += ["-H", f"Authorization: Bearer {token}"]
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as file:
        if script:
            file.write(script)
            file.flush()
            command += ["-s", file.name]
        output = subprocess.run(command + [url], capture_output=True, text=True, check=True).stdout
    if "Non-2xx" in output or "Socket errors" in output:
        sys.exit(f"{url}: wrong answers\n{output}")
    return float(re.search(r"Requests/sec:\s+([\d.]+)", output)[1])


def main(binary):
    server = subprocess.Popen([binary, "serve", "--port", "0", "--store", "memory", "--access-log", "off"], stdout=subprocess.PIPE, text=True)
    try:
        base = re.search(r"http://\S+", server.stdout.readline())[0]
        path, token = open_session(base)
        scenarios = {
            BASELINE: lambda: measure(f"{base}/livez"),
            "GET a session": lambda: measure(f"{base}{path}", token),
            "GET its screen": lambda: measure(f"{base}{path}/screen", token),
            "push and pop, one session": lambda: measure(
                base, token, PUSH_POP.format(path=path)),
            "GET an author": lambda: measure(f"{base}/v1/catalog/authors/jules-verne"),
            "GET a cover": lambda: measure(
                f"{base}/v1/catalog/authors/jules-verne/books/from-the-earth-to-the-moon/cover"),
        }
        rounds = [{name: run() for name, run in scenarios.items()} for _ in range(ROUNDS)]
        for name in scenarios:
            ratio = statistics.median(round[name] / round[BASELINE] for round in rounds)
            rate = statistics.median(round[name] for round in rounds)
            print(f"{name:28} {ratio:5.2f}   {rate:8.0f} answers/s")
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main(str(Path(sys.argv[1]).resolve()))
