#!/usr/bin/env python3
"""A disk that is full or hangs: /readyz names the reason, and nothing is lost.

    fulldisk.py WAYPOST [--rounds 4] [--seed 1]

The service runs on a disk that fills up (fulldisk.c, preloaded) while 8 clients change one session
and 4 more one session each, half of the changes with a key. From then on

- each change gets 503 with `outcome-unknown` or `storage-unavailable`, and Retry-After;
- /readyz answers 503, and it and the log name SQLITE_FULL; /livez answers 200; sessions can be read.

Within 5 s of the time when there is room again, /readyz answers 200, and the clients go on. After a
SIGKILL and a start, the history of each session is linearizable (history.py).

Then the disk hangs, once without a change that waits for it and once with one: within 5 s /readyz
answers 503, while /livez and /metrics answer 200 and sessions in memory can be read. Within 5 s of the
time when the disk works again, /readyz answers 200.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path

import wire  # noqa: F401, which adds the folder of the next two to the path
from history import History
from service import Client, Service, write_storyboard

SHARING, ALONE = 8, 4
OPTIONS = "--history-retention", "10000000"
REASON = "SQLITE_FULL"
LIMIT = 5


class Disk:
    """A folder on a disk that can be filled up."""

    def __init__(self, folder):
        self.folder, self.sign = Path(folder, "disk"), Path(folder, "full")
        self.hang = Path(folder, "hung")
        self.folder.mkdir()
        library = f"{folder}/fulldisk.so"
        source = Path(__file__).with_name("fulldisk.c")
        subprocess.run(["clang", "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True)
        self.environment = os.environ | {
            "LD_PRELOAD": library, "FULL_DISK": str(self.sign), "HUNG_DISK": str(self.hang),
            "FULL_DISK_FOLDER": str(self.folder)}
        write_storyboard(self.folder)


def change(client, name, session, generator, history, refusals):
    """Changes a session until a change is refused."""
    path, token = session
    try:
        while True:
            change = history.next_change(name, session, generator)
            change.begin()
            status, response = client.call(
                "POST", f"{path}/{change.operation}", change.body, token, change.key)
            if status == 200:
                change.end(response, client.is_replayed)
                history.note_response(name)
                continue
            assert status == 503, (status, response)
            assert client.header("Retry-After"), "503 without Retry-After"
            if response["code"] == "outcome-unknown":
                history.note_loss(name)
            else:
                assert response["code"] == "storage-unavailable", response
                history.note_refusal(name)
            refusals.append(response["code"])
            return
    except AssertionError as failure:
        history.failures.append(failure)


def wait_until_ready(client, expected):
    """Waits until /readyz has the expected status, and returns the response."""
    end = time.monotonic() + LIMIT
    while True:
        status, response = client.call("GET", "/readyz")
        if status == expected:
            return response
        assert time.monotonic() < end, f"/readyz is {status} after {LIMIT} s: {response}"
        time.sleep(0.1)


def wait_until_logged(log, text):
    """Waits until the log has a text, since the service writes the log on a thread of its own."""
    end = time.monotonic() + LIMIT
    while text not in log.read_text():
        assert time.monotonic() < end, log.read_text()
        time.sleep(0.1)


def hang(port, disk, session, waits):
    """Lets the disk hang, and a change wait for it if `waits` is true."""
    path, token = session
    client, results = Client(port), []

    def push():
        body = {"scene": "page", "parameters": {"n": "1"}}
        results.append(Client(port).call("POST", f"{path}/push", body, token)[0])

    disk.hang.touch()
    pushing = threading.Thread(target=push)
    if waits:
        pushing.start()
    problem = wait_until_ready(client, 503)
    assert "a commit has not ended for" in problem["detail"], problem
    for other in "/livez", "/metrics":
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{other}") as response:
            assert response.status == 200, other
    assert client.call("GET", path, None, token)[0] == 200
    disk.hang.unlink()
    wait_until_ready(client, 200)
    if waits:
        pushing.join()
        assert results == [200], results


def play(waypost, folder, generator):
    disk = Disk(folder)
    log = Path(folder, "log")
    with open(log, "w") as file:
        service = Service(waypost, disk.folder, *OPTIONS, environment=disk.environment, log=file)
    client = Client(service.port)
    sessions = [client.open_session() for _ in range(1 + ALONE)]
    history, refusals = History(), []
    threads = [
        threading.Thread(
            target=change,
            args=(Client(service.port), f"client-{number}", session,
                  random.Random(generator.random()), history, refusals))
        for number, session in enumerate([sessions[0]] * SHARING + sessions[1:])]
    for thread in threads:
        thread.start()
    history.wait(generator.randrange(50, 200))
    disk.sign.touch()
    for thread in threads:
        thread.join()
    assert not history.failures, history.failures[:3]
    assert len(refusals) == len(threads)

    status, problem = client.call("GET", "/readyz")
    assert status == 503 and problem["code"] == "not-ready", (status, problem)
    assert REASON in problem["detail"], problem
    assert client.call("GET", "/livez")[0] == 200
    for session in sessions:
        history.read(client, session)
    status, problem = client.call("POST", "/v1/sessions")
    assert status == 503, (status, problem)
    wait_until_logged(log, REASON)

    disk.sign.unlink()
    wait_until_ready(client, 200)
    for number, session in enumerate([sessions[0]] * SHARING + sessions[1:]):
        name = f"client-{number}"
        history.next_change(name, session, generator).send(client)
        history.note_response(name)
    service.kill()
    history.note_end()

    service = Service(waypost, disk.folder, *OPTIONS)
    client = Client(service.port)
    assert client.call("GET", "/readyz")[0] == 200
    history.finish(client)
    for session in sessions:
        history.check(client, session)
    service.stop()

    service = Service(waypost, disk.folder, *OPTIONS, environment=disk.environment)
    history.read(Client(service.port), sessions[0])
    hang(service.port, disk, sessions[0], waits=False)
    hang(service.port, disk, sessions[0], waits=True)
    service.stop()
    return len(history.answered), len(refusals)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("waypost")
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    generator = random.Random(options.seed)
    changes = refusals = 0
    for _ in range(options.rounds):
        with tempfile.TemporaryDirectory() as folder:
            done, refused = play(options.waypost, folder, generator)
            changes, refusals = changes + done, refusals + refused
    print(f"full disk: {options.rounds} times, {changes} changes kept, {refusals} refused; "
          f"/readyz and the log name {REASON}")


if __name__ == "__main__":
    sys.exit(main())
