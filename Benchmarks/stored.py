#!/usr/bin/env python3
"""Measure what a million stored sessions cost those that are in use.

    Benchmarks/stored.py .build/release/waypost [--stored 1000000]

1,000 sessions are changed (push and pop by turns, each commit synced) by 32 connections, first with
1,000 sessions in the store and then with as many as said; interleaved, as the machine's mood
changes. Printed: the cost of a change as a ratio, the time from start to ready, and the memory.
"""

import argparse
import http.client
import json
import re
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

IN_USE, CONNECTIONS, SECONDS, ROUNDS = 1000, 32, 3, 3

STORYBOARD = {"name": "Stored", "initialScene": "root", "scenes": {
    "root": {"kind": "blank", "title": "Root"}, "page": {"kind": "blank", "title": "Page"}}}

SCRIPT = """
local paths, tokens, n = {}, {}, 0
for line in io.lines("%s") do
  local path, token = line:match("(%%S+) (%%S+)")
  paths[#paths + 1], tokens[#tokens + 1] = path, token
end
request = function()
  n = n + 1
  local i = math.floor(n / 2) %% #paths + 1
  local operation, body = "push", '{"scene":"page"}'
  if n %% 2 == 1 then operation, body = "pop", "{}" end
  local headers = {["Authorization"] = "Bearer " .. tokens[i], ["Content-Type"] = "application/json"}
  return wrk.format("POST", paths[i] .. "/" .. operation, headers, body)
end
"""


class Service:
    def __init__(self, binary, folder):
        started = time.monotonic()
        self.process = subprocess.Popen(
            [binary, "serve", "--port", "0", "--access-log", "off", "--store", f"sqlite:{folder}/store.sqlite",
             "--storyboard", f"{folder}/storyboard.json"], stdout=subprocess.PIPE, text=True)
        self.base = re.search(r"http://(\S+)", self.process.stdout.readline())[1]
        assert self.get("/readyz") == 200
        self.seconds_to_ready = time.monotonic() - started

    def get(self, path):
        connection = http.client.HTTPConnection(self.base)
        connection.request("GET", path)
        return connection.getresponse().status

    def memory(self):
        """Resident memory in MB."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024

    def stop(self):
        self.process.terminate()
        assert self.process.wait() == 0


def make(binary, folder):
    """A store with the sessions in use; returns the file that lists them."""
    folder.mkdir()
    (folder / "storyboard.json").write_text(json.dumps(STORYBOARD))
    service = Service(binary, folder)
    connection = http.client.HTTPConnection(service.base)
    with open(folder / "sessions", "w") as file:
        for _ in range(IN_USE):
            connection.request("POST", "/v1/sessions")
            session = json.load(connection.getresponse())
            print(f"/v1/sessions/{session['id']} {session['token']}", file=file)
    service.stop()
    (folder / "script.lua").write_text(SCRIPT % (folder / "sessions"))


def fill(folder, stored):
    """Adds copies of a session, with ids and logs of their own."""
    # The inner one commits, the outer one closes: an open connection would keep the service out.
    with closing(sqlite3.connect(folder / "store.sqlite")) as database, database:
        columns = [row[1] for row in database.execute("PRAGMA table_info(session)")][1:]
        names = ", ".join(columns)
        database.execute(f"""
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {stored - IN_USE})
            INSERT INTO session (id, {names}) SELECT randomblob(16), {names}
            FROM n, (SELECT * FROM session LIMIT 1)""")
        database.execute("""
            INSERT OR IGNORE INTO event_group
            SELECT session.id, first, last, events
            FROM session, (SELECT * FROM event_group LIMIT 1)""")


def changes_a_second(service, folder):
    output = subprocess.run(
        ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{SECONDS}s", "-s", folder / "script.lua",
         f"http://{service.base}"], capture_output=True, text=True, check=True).stdout
    if "Non-2xx" in output or "Socket errors" in output:
        sys.exit(f"wrong answers\n{output}")
    return float(re.search(r"Requests/sec:\s+([\d.]+)", output)[1])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("waypost")
    parser.add_argument("--stored", type=int, default=1_000_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        few, many = Path(name, "few"), Path(name, "many")
        make(options.waypost, few)
        shutil.copytree(few, many, ignore=shutil.ignore_patterns("*.socket"))
        fill(many, options.stored)
        rates = {few: [], many: []}
        ready, memory = [], []
        for _ in range(ROUNDS):
            for folder in (few, many):
                service = Service(options.waypost, folder)
                rates[folder].append(changes_a_second(service, folder))
                if folder is many:
                    ready.append(service.seconds_to_ready)
                    memory.append(service.memory())
                service.stop()
        ratio = statistics.median(rates[few]) / statistics.median(rates[many])
        print(f"stored sessions              {options.stored:,}, {IN_USE:,} of them in use")
        print(f"cost of a change             {ratio:.2f} x that with {IN_USE:,} stored")
        print(f"changes a second             {statistics.median(rates[many]):.0f}, each synced")
        print(f"start to ready               {max(ready):.2f} s")
        print(f"resident memory              {max(memory):.0f} MB")


if __name__ == "__main__":
    sys.exit(main())
