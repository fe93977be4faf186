#!/usr/bin/env python3
"""SIGTERM under load: what was answered is kept, and no answer that began is cut off.

    stop.py WAYPOST [--rounds 4] [--seed 1]

24 clients change 6 sessions and 4 read a large page until the service is told to stop, at a random
moment. It must end with 0 within its limit. Started again on the same store,

- every change that was answered with 2xx is in its session's log, once;
- nothing else is in there but what went without an answer.
"""

import argparse
import json
import random
import sys
import tempfile
import threading
import time

import cases
from wire import Closed, Wire

from service import Client, Service, new_key, write_storyboard

CHANGING, READING, SESSIONS, LIMIT = 24, 4, 6, 30


class Load:
    def __init__(self, port, sessions):
        self.port, self.sessions = port, sessions
        self.acknowledged, self.unanswered, self.failures = [], [], []
        self.pages = 0

    def change(self):
        def change(wire):
            path, token = session = random.choice(self.sessions)
            body = json.dumps({"scene": "page", "parameters": {"n": new_key()}}).encode()
            wire.send(cases.head(
                f"POST {path}/push HTTP/1.1", "Content-Type: application/json",
                f"Authorization: Bearer {token}", f"Idempotency-Key: {new_key()}",
                f"Content-Length: {len(body)}") + body)
            try:
                answer = wire.answer()
            except (Closed, OSError):
                self.unanswered.append(session)
                raise
            if answer.status == 200:
                self.acknowledged.append((session, json.loads(answer.body)["session"]["revision"]))
            elif b"not known" in answer.body:
                self.unanswered.append(session)
            elif answer.status != 503:
                self.failures.append(f"{answer.status} {answer.body}")
            return answer
        self.repeat(change)

    def read(self):
        def read(wire):
            wire.send(cases.get("/openapi.yaml"))
            answer = wire.answer()
            self.pages += 1
            return answer
        self.repeat(read)

    def repeat(self, step):
        """Until the service closes the connection."""
        try:
            wire = Wire(self.port)
            while step(wire).fields.get("connection", "").lower() != "close":
                pass
            if not wire.is_closed() or wire.received:
                self.failures.append(f"after the last answer came {wire.received[:100]}")
        except Closed as closed:
            if closed.args[0]:
                self.failures.append(f"an answer was cut off after {closed.args[0][-100:]}")
        except OSError:
            pass


def logged(client, session):
    """The revisions in a session's log."""
    path, token = session
    after, revisions = 0, []
    while True:
        status, page = client.call("GET", f"{path}/events?after={after}&limit=1000", None, token)
        assert status == 200, page
        if not page["events"]:
            return revisions
        for event in page["events"]:
            if event["revision"] not in (1, *revisions[-1:]):
                revisions.append(event["revision"])
        after = page["events"][-1]["seq"]


def play(binary, folder):
    options = "--event-retention", "10000000"
    service = Service(binary, folder, *options)
    client = Client(service.port)
    sessions = [client.open_session() for _ in range(SESSIONS)]
    load = Load(service.port, sessions)
    threads = [threading.Thread(target=load.change) for _ in range(CHANGING)]
    threads += [threading.Thread(target=load.read) for _ in range(READING)]
    for thread in threads:
        thread.start()
    time.sleep(random.uniform(0.2, 1))
    started = time.monotonic()
    service.process.terminate()
    status = service.process.wait(LIMIT + 10)
    took = time.monotonic() - started
    for thread in threads:
        thread.join()
    assert status == 0, f"ended with {status}"
    assert took < LIMIT, f"took {took:.1f} s"
    assert not load.failures, load.failures[:5]
    service = Service(binary, folder, *options)
    client = Client(service.port)
    for session in sessions:
        revisions = logged(client, session)
        answered = [revision for other, revision in load.acknowledged if other is session]
        unknown = sum(other is session for other in load.unanswered)
        assert len(set(answered)) == len(answered), "one revision was answered twice"
        lost = set(answered) - set(revisions)
        assert not lost, f"{len(lost)} answered changes are lost"
        assert len(set(revisions)) == len(revisions) <= len(answered) + unknown, "more was done"
    service.stop()
    return len(load.acknowledged), load.pages, took


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("waypost")
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    random.seed(options.seed)
    rounds = []
    for _ in range(options.rounds):
        with tempfile.TemporaryDirectory() as folder:
            write_storyboard(folder)
            rounds.append(play(options.waypost, folder))
    changes, pages, _ = map(sum, zip(*rounds))
    print(f"stop: {len(rounds)} times under load: {changes} changes and {pages} pages answered, all "
          f"kept and whole; at most {max(took for _, _, took in rounds):.2f} s")


if __name__ == "__main__":
    sys.exit(main())
