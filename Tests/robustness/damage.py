#!/usr/bin/env python3
"""A write-ahead log that is cut off or flipped: a prefix of the commits, or a clear refusal.

    damage.py WAYPOST [--places 400]

Two sessions are changed in turn, half of the times with a key, so that after each commit the first is level with the second or
one ahead. The service is killed, and the last frames of its log are cut off and flipped at many
places. Each time the store must open with a state that was there once, or be refused with a message;
it must not crash, nor show one session's change without those before it.
"""

import argparse
import json
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

from service import Client, Service, new_key, write_storyboard

CHANGES = 30


def make_store(waypost, folder):
    write_storyboard(folder)
    service = Service(waypost, folder)
    client = Client(service.port)
    sessions = [client.open_session() for _ in range(2)]
    for _ in range(CHANGES):
        for path, token in sessions:
            status, answer = client.call(
                "POST", f"{path}/push", {"scene": "page", "parameters": {"n": "1"}}, token,
                new_key() if random.random() < 0.5 else None)
            assert status == 200, answer
    service.kill()
    return [path.rsplit("/", 1)[1] for path, _ in sessions]


def check(waypost, folder, ids, place):
    """Opens the damaged store; returns whether it was taken."""
    store = f"{folder}/waypost.sqlite"
    report = subprocess.run([waypost, "store", "check", "--store", f"sqlite:{store}"],
                            capture_output=True, text=True, timeout=60)
    assert report.returncode in (0, 1), f"{place}: ended with {report.returncode}: {report.stderr}"
    if report.returncode == 1:
        assert report.stderr.strip(), f"{place}: refused without a word"
        return False
    with sqlite3.connect(store) as database:
        found = dict(database.execute("SELECT hex(id), revision FROM session"))
        logged = {session: pushes(database, session) for session in found}
    first, second = (found.get(id.upper(), 0) for id in ids)
    assert first - second in (0, 1), f"{place}: a mixture: revisions {first} and {second}"
    expected = {session: list(range(2, revision + 1)) for session, revision in found.items()}
    assert logged == expected, f"{place}: a mixture: {found} revisions, {logged} in the logs"
    return True


def pushes(database, session):
    """The revisions of the pushes in a session's log. Its newest records are in the session's row."""
    rows = database.execute(
        "SELECT first, records FROM log WHERE hex(session) = ?1 UNION ALL "
        "SELECT tail_first, tail FROM session WHERE hex(id) = ?1 ORDER BY 1", [session])
    records = [json.loads(line) for _, content in rows for line in content.splitlines()]
    return [record["revision"] for record in records if "do" in record]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("waypost")
    parser.add_argument("--places", type=int, default=400)
    options = parser.parse_args()
    random.seed(1)
    with tempfile.TemporaryDirectory() as folder:
        good, bad = Path(folder, "good"), Path(folder, "bad")
        good.mkdir()
        ids = make_store(options.waypost, good)
        log = (good / "waypost.sqlite-wal").read_bytes()
        frame = 4096 + 24
        tail = range(max(0, len(log) - 12 * frame), len(log))
        taken = 0
        for number in range(options.places):
            place = random.choice(tail)
            shutil.rmtree(bad, ignore_errors=True)
            shutil.copytree(good, bad, ignore=shutil.ignore_patterns("*.socket"))
            damaged = bytearray(log)
            if number % 2:
                damaged[place] ^= 1 << random.randrange(8)
                kind = "flipped"
            else:
                del damaged[place:]
                kind = "cut off"
            (bad / "waypost.sqlite-wal").write_bytes(damaged)
            taken += check(options.waypost, bad, ids, f"{kind} at {place}")
    print(f"damage: {options.places} places, {taken} opened with a prefix, "
          f"{options.places - taken} refused, no crash and no mixture")


if __name__ == "__main__":
    sys.exit(main())
