#!/usr/bin/env python3
"""Power cut: what was acknowledged was synced.

    powercut.py WAYPOST [--rounds 20] [--seed 1]

The service runs on a disk that forgets what was not synced (powercut.c, preloaded), and is killed
while 8 clients change one session and 8 more one session each, half of the changes with a key. On
what the disk remembers, each session's history must be linearizable (history.py): every acknowledged
change is there, and one with a key and no response happens once when it is sent again. The same run with
`--durability relaxed`, which does not sync each commit, must lose some: that shows that the test
can fail.
"""

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from history import History
from service import Client, Service, write_storyboard

SHARING, ALONE = 8, 8
OPTIONS = "--history-retention", "10000000"


def preloaded(folder):
    """The environment of a process on the forgetful disk."""
    library = f"{folder}/powercut.so"
    source = Path(__file__).with_name("powercut.c")
    subprocess.run(["clang", "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True)
    return os.environ | {"LD_PRELOAD": library, "POWERCUT_FOLDER": f"{folder}/disk"}


def cut_power(folder):
    """Leaves of each file what was synced last; a file that never was is gone."""
    for path in Path(folder).iterdir():
        if path.suffix in (".durable", ".copying") or path.name == "storyboard.json":
            continue
        durable = path.with_name(path.name + ".durable")
        if durable.exists():
            shutil.copyfile(durable, path)
        else:
            path.unlink()


def broken_sessions(waypost, folder, environment, generator, *options):
    """Runs one round on a new disk. Returns what is wrong with sessions, and how many changes were
    acknowledged."""
    disk = Path(folder, "disk")
    shutil.rmtree(disk, ignore_errors=True)
    disk.mkdir()
    write_storyboard(disk)
    service = Service(waypost, disk, *OPTIONS, *options, environment=environment)
    client = Client(service.port)
    sessions = [client.open_session() for _ in range(1 + ALONE)]
    history = History()
    threads = [
        threading.Thread(
            target=history.play,
            args=(Client(service.port), f"client-{number}", session,
                  random.Random(generator.random())))
        for number, session in enumerate([sessions[0]] * SHARING + sessions[1:])]
    for thread in threads:
        thread.start()
    history.wait(generator.randrange(50, 250))
    service.kill()
    for thread in threads:
        thread.join()
    history.note_end()
    cut_power(disk)
    service = Service(waypost, disk, *OPTIONS)
    client = Client(service.port)
    failures = []
    for session in sessions:
        try:
            history.read(client, session)
        except AssertionError as failure:
            failures.append(failure)
    if not failures:
        history.finish(client)
        for session in sessions:
            try:
                history.check(client, session)
            except AssertionError as failure:
                failures.append(failure)
    service.stop()
    return failures, len(history.answered)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("waypost")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    generator = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        environment = preloaded(folder)
        changes = 0
        for _ in range(options.rounds):
            failures, acknowledged = broken_sessions(
                options.waypost, folder, environment, generator)
            assert not failures, failures
            changes += acknowledged
        failures = [
            failure for _ in range(options.rounds) for failure in broken_sessions(
                options.waypost, folder, environment, generator, "--durability", "relaxed")[0]]
        assert failures, "the relaxed store lost nothing: this test cannot fail"
    print(f"power cut: {options.rounds} rounds, {changes} changes, none lost; relaxed lost some")


if __name__ == "__main__":
    sys.exit(main())
