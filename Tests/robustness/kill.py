#!/usr/bin/env python3
"""Kill -9 under load: nothing acknowledged is lost, nothing is done twice.

    kill.py WAYPOST [--rounds 50] [--seed 1]

16 clients change one session and 16 more one session each, half of the changes with a key of their
own, until the service is killed after a random number of them. After the restart each client sends its
unanswered change again if it has a key, and never if it has none. At the end,

- the history of each session is linearizable (history.py): every acknowledged change is in its log,
  at the revision that was answered; a change with a key is there once, a lost one without a key once
  or not at all, and nothing else is;
- the history that the service keeps of a session has exactly the changes that are in its log, each as
  its client sent it;
- streams of changes (watcher.py) show only what is stored, and go on after the restart without a gap or a
  repetition;
- a session with tabs and layers is the same after each restart, to the byte;
- changes with a key that are sent again are answered as before, and not done;
- the store's own check is clean.
"""

import argparse
import random
import subprocess
import sys
import tempfile
import threading

from history import History
from layered import LayeredSession
from service import Client, Service, write_storyboard
from watcher import Watcher

SHARING, ALONE = 16, 16
OPTIONS = "--max-idempotency-keys", "1000000", "--history-retention", "10000000"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("waypost")
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    generator = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        write_storyboard(folder)
        service = Service(options.waypost, folder, *OPTIONS)
        client = Client(service.port)
        sessions = [client.open_session() for _ in range(1 + ALONE)]
        layered = LayeredSession(client)
        watchers = [Watcher(session) for session in sessions[:4] + sessions[:1]]
        clients = [sessions[0]] * SHARING + sessions[1:]
        history = History()
        for round_number in range(options.rounds):
            layered.change(client, generator)
            threads = [
                threading.Thread(
                    target=history.play,
                    args=(Client(service.port), f"client-{number}", session,
                          random.Random(f"{options.seed}/{round_number}/{number}")))
                for number, session in enumerate(clients)]
            for watcher in watchers:
                watcher.start(service.port)
            for thread in threads:
                thread.start()
            history.wait(generator.randrange(400))
            service.kill()
            for thread in threads + watchers:
                thread.join()
            history.note_end()
            service = Service(options.waypost, folder, *OPTIONS)
            client = Client(service.port)
            for session in sessions:
                history.read(client, session)
            for watcher in watchers:
                watcher.check(client)
            layered.check(client)
        history.finish(client)
        history.repeat(client, generator)
        recorded = 0
        for session in sessions:
            history.check(client, session)
            recorded += history.check_journal(client, session)
        store = f"sqlite:{folder}/waypost.sqlite"
        report = subprocess.run([options.waypost, "store", "check", "--store", store],
                                capture_output=True, text=True)
        assert report.returncode == 0, report.stderr
        service.stop()
        print(f"kill: {options.rounds} rounds, {len(history.answered)} acknowledged changes, all kept;"
              f" {len(history.lost)} without a key and a response, done once or not at all;"
              f" {recorded} changes in the histories;"
              f" {layered.changes} changes of tabs and layers;"
              f" {sum(watcher.messages for watcher in watchers)} streamed messages, all of them kept")


if __name__ == "__main__":
    sys.exit(main())
