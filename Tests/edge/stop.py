#!/usr/bin/env python3
"""SIGTERM under load: what was answered is kept, and no answer that began is cut off.

    stop.py WAYPOST [--rounds 4] [--seed 1]

16 clients change one session and 8 more one session each, half of the changes with a key of their
own, and 4 read a large page, until the service is told to stop, after a random number of changes. It
must end with 0 within its limit. Started again on the same store, the history of each session is
linearizable (history.py): every change that was answered with 2xx is in its log, once, and nothing
else but what went without an answer, which happens once, with a key, and at most once without.
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

from history import History
from service import Client, Service, write_storyboard

SHARING, ALONE, READING, LIMIT = 16, 8, 4, 30
OPTIONS = "--history-retention", "10000000", "--max-idempotency-keys", "1000000"


class Load:
    def __init__(self, port, history):
        self.port, self.history = port, history
        self.failures = []
        self.pages = 0

    def change(self, name, session, generator):
        path, token = session

        def change(wire):
            change = self.history.next_change(name, session, generator)
            body = json.dumps(change.body).encode()
            change.begin()
            wire.send(cases.head(
                f"POST {path}/{change.operation} HTTP/1.1", "Content-Type: application/json",
                f"Authorization: Bearer {token}",
                *([f"Idempotency-Key: {change.key}"] if change.key else []),
                f"Content-Length: {len(body)}") + body)
            try:
                answer = wire.answer()
            except (Closed, OSError):
                self.history.note_loss(name)
                raise
            content = json.loads(answer.body)
            if answer.status == 200:
                change.end(content, answer.fields.get("idempotency-replayed") == "true")
                self.history.note_response(name)
            elif content["code"] == "outcome-unknown":
                self.history.note_loss(name)
            elif answer.status == 503:
                self.history.note_refusal(name)
            else:
                self.failures.append(f"{answer.status} {answer.body}")
                self.history.note_loss(name)
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


def play(binary, folder, generator):
    service = Service(binary, folder, *OPTIONS)
    client = Client(service.port)
    sessions = [client.open_session() for _ in range(1 + ALONE)]
    history = History()
    load = Load(service.port, history)
    threads = [
        threading.Thread(
            target=load.change,
            args=(f"client-{number}", session, random.Random(generator.random())))
        for number, session in enumerate([sessions[0]] * SHARING + sessions[1:])]
    threads += [threading.Thread(target=load.read) for _ in range(READING)]
    for thread in threads:
        thread.start()
    history.wait(generator.randrange(100, 600))
    started = time.monotonic()
    service.process.terminate()
    status = service.process.wait(LIMIT + 10)
    took = time.monotonic() - started
    for thread in threads:
        thread.join()
    assert status == 0, f"ended with {status}"
    assert took < LIMIT, f"took {took:.1f} s"
    assert not load.failures, load.failures[:5]
    history.note_end()
    service = Service(binary, folder, *OPTIONS)
    client = Client(service.port)
    for session in sessions:
        history.read(client, session)
    history.finish(client)
    history.repeat(client, generator, 20)
    for session in sessions:
        history.check(client, session)
    service.stop()
    return len(history.answered), load.pages, took


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("waypost")
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    generator = random.Random(options.seed)
    rounds = []
    for _ in range(options.rounds):
        with tempfile.TemporaryDirectory() as folder:
            write_storyboard(folder)
            rounds.append(play(options.waypost, folder, generator))
    changes, pages, _ = map(sum, zip(*rounds))
    print(f"stop: {len(rounds)} times under load: {changes} changes and {pages} pages answered, all "
          f"kept and whole; at most {max(took for _, _, took in rounds):.2f} s")


if __name__ == "__main__":
    sys.exit(main())
