#!/usr/bin/env python3
"""Power cut: what was acknowledged was synced.

    powercut.py WAYPOST [--rounds 20]

The service runs on a disk that forgets what was not synced (powercut.c, preloaded), and is killed
under load. On what the disk remembers, every acknowledged change must be there. The same run with
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
import time
from pathlib import Path

from service import GONE, Client, Service, write_storyboard

CLIENTS = 8


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


def load(port, session, acknowledged):
    path, token = session
    client = Client(port)
    try:
        while True:
            status, answer = client.call(
                "POST", f"{path}/push", {"scene": "page", "parameters": {"n": "1"}}, token)
            assert status == 200, answer
            acknowledged[path] = answer["session"]["revision"]
            client.call("POST", f"{path}/pop-to-root", {}, token)
    except GONE:
        pass


def lost_changes(waypost, folder, environment, *options):
    """Runs one round on a new disk; returns how many sessions lost a change."""
    disk = Path(folder, "disk")
    shutil.rmtree(disk, ignore_errors=True)
    disk.mkdir()
    write_storyboard(disk)
    service = Service(waypost, disk, *options, environment=environment)
    client = Client(service.port)
    sessions = [client.open_session() for _ in range(CLIENTS)]
    acknowledged = {}
    threads = [threading.Thread(target=load, args=(service.port, session, acknowledged))
               for session in sessions]
    for thread in threads:
        thread.start()
    time.sleep(random.uniform(0.2, 0.6))
    service.kill()
    for thread in threads:
        thread.join()
    cut_power(disk)
    service = Service(waypost, disk)
    client = Client(service.port)
    lost = 0
    for path, token in sessions:
        status, session = client.call("GET", path, None, token)
        lost += status != 200 or session["revision"] < acknowledged.get(path, 1)
    service.stop()
    return lost, sum(acknowledged.values())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("waypost")
    parser.add_argument("--rounds", type=int, default=20)
    options = parser.parse_args()
    random.seed(1)
    with tempfile.TemporaryDirectory() as folder:
        environment = preloaded(folder)
        changes = 0
        for _ in range(options.rounds):
            lost, revisions = lost_changes(options.waypost, folder, environment)
            assert not lost, f"{lost} sessions lost an acknowledged change"
            changes += revisions
        lost = sum(
            lost_changes(options.waypost, folder, environment, "--durability", "relaxed")[0]
            for _ in range(options.rounds))
        assert lost, "the relaxed store lost nothing: this test cannot fail"
    print(f"power cut: {options.rounds} rounds, {changes} changes, none lost; relaxed lost some")


if __name__ == "__main__":
    sys.exit(main())
