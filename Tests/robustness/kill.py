#!/usr/bin/env python3
"""Kill -9 under load: nothing acknowledged is lost, nothing is done twice.

    kill.py WAYPOST [--rounds 50] [--seed 1]

32 clients change 8 sessions, each change with a key of its own, until the service is killed at a
random moment. After the restart each client sends its last, unanswered change again with the same
key. At the end, of each session:

- every acknowledged change is in the lifecycle log, at the revision that was answered;
- the log holds one change for each acknowledged one, and no other: nothing twice;
- the history is linearizable: revisions differ, an answer that came before another change was sent
  has the lower revision, and each answer's stack follows from the one before;
- the store's own check is clean.
"""

import argparse
import random
import subprocess
import sys
import tempfile
import threading
import time

from service import GONE, Client, Service, new_key, write_storyboard

CLIENTS, SESSIONS = 32, 8


class Change:
    """A change that a client sent, and the answer, once it has come."""

    def __init__(self, session, number):
        self.session, self.key = session, new_key()
        self.body = {"scene": "page", "parameters": {"n": str(number)}}
        self.operation = "push" if number % 3 else "pop-to-root"
        self.sent, self.answered, self.answer = time.monotonic(), None, None

    def send(self, client):
        path, token = self.session
        body = self.body if self.operation == "push" else {}
        status, answer = client.call("POST", f"{path}/{self.operation}", body, token, self.key)
        assert status == 200, (status, answer)
        self.answered, self.answer = time.monotonic(), answer


def load(port, sessions, pending, history, numbers):
    """Changes sessions until the service goes away. What is unanswered then stays in `pending`."""
    client = Client(port)
    name = threading.current_thread().name
    try:
        while True:
            if name not in pending:
                pending[name] = Change(random.choice(sessions), next(numbers))
            pending[name].send(client)
            history.append(pending.pop(name))
    except GONE:
        pass


def count():
    number = 0
    while True:
        number += 1
        yield number


class Numbers:
    def __init__(self):
        self.numbers, self.lock = count(), threading.Lock()

    def __next__(self):
        with self.lock:
            return next(self.numbers)


def events(client, session):
    path, token = session
    after, log = 0, []
    while True:
        status, page = client.call("GET", f"{path}/events?after={after}&limit=1000", None, token)
        assert status == 200, page
        if not page["events"]:
            return log
        log += page["events"]
        after = log[-1]["seq"]


def check(client, session, changes):
    path, token = session
    log = events(client, session)
    assert [event["seq"] for event in log] == list(range(1, len(log) + 1)), "the log has a gap"
    effective = sorted((c for c in changes if c.answer["changed"]),
                       key=lambda c: c.answer["session"]["revision"])
    revisions = [c.answer["session"]["revision"] for c in effective]
    logged = sorted({event["revision"] for event in log} - {1})
    assert revisions == logged, f"answered {len(revisions)} changes, stored {len(logged)}"
    status, now = client.call("GET", path, None, token)
    assert status == 200 and now["revision"] == len(revisions) + 1, "the state is of another revision"
    stack = ["vc1"]
    latest = 0.0
    for change in effective:
        after = [vc["id"] for vc in change.answer["session"]["viewControllers"]]
        expected = stack + after[-1:] if change.operation == "push" else ["vc1"]
        assert after == expected and after != stack, f"{change.operation}: {stack} became {after}"
        assert change.answered > latest, "answered before an earlier change was sent"
        latest = max(latest, change.sent)
        stack = after
    assert [vc["id"] for vc in now["viewControllers"]] == stack, "the state is not the last answer's"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("waypost")
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    random.seed(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        write_storyboard(folder)
        retention = ("--event-retention", "10000000")
        service = Service(options.waypost, folder, *retention)
        client = Client(service.port)
        sessions = [client.open_session() for _ in range(SESSIONS)]
        pending, history, numbers = {}, [], Numbers()
        for round_number in range(options.rounds):
            threads = [
                threading.Thread(target=load, name=f"client-{n}",
                                 args=(service.port, sessions, pending, history, numbers))
                for n in range(CLIENTS)]
            for thread in threads:
                thread.start()
            time.sleep(random.uniform(0.05, 0.8))
            service.kill()
            for thread in threads:
                thread.join()
            service = Service(options.waypost, folder, *retention)
        client = Client(service.port)
        for change in list(pending.values()):
            change.send(client)
            history.append(change)
        for session in sessions:
            check(client, session, [c for c in history if c.session == session])
        store = f"sqlite:{folder}/waypost.sqlite"
        report = subprocess.run([options.waypost, "store", "check", "--store", store],
                                capture_output=True, text=True)
        assert report.returncode == 0, report.stderr
        service.stop()
        print(f"kill: {options.rounds} rounds, {len(history)} acknowledged changes, all kept")


if __name__ == "__main__":
    sys.exit(main())
