"""Clients that follow a session's stream of changes, on one node after the other."""

import http.client
import json
import threading
import time

from client import GONE, PATIENCE
from operations import digest, state_of


class Follower(threading.Thread):
    """Follows one session to the end of an epoch. After a lost stream it goes on at its cursor, on the next node.

    A message leads on from the last one, without a gap and without a repetition. What the messages show goes
    into the history as reads that may be late, and may not be early.
    """

    def __init__(self, history, session, ports, number):
        super().__init__(name=f"follower-{number}", daemon=True)
        self.history, self.session, self.ports, self.place = history, session, ports, number
        self.changed, self.ending = threading.Condition(), threading.Event()
        self.cursor, self.revision, self.last_event = None, 0, 0

    def run(self):
        while not self.ending.is_set():
            try:
                self.follow()
            except GONE:
                pass
            except Exception as error:  # noqa: BLE001, a defect of the test must not look like silence
                return self.history.fail(f"{self.name}, session {self.session.id[:8]}: {error!r}")
            self.place += 1
            self.ending.wait(0.1)

    def follow(self):
        """Reads one stream until it ends. Heartbeats come each second."""
        port = self.ports[self.place % len(self.ports)]
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        try:
            fields = {"Authorization": f"Bearer {self.session.token}"}
            if self.cursor:
                fields["Last-Event-ID"] = self.cursor
            connection.request("GET", f"{self.session.path}/changes", headers=fields)
            response = connection.getresponse()
            if response.status != 200:
                if response.status not in (429, 502, 503, 504):
                    raise RuntimeError(f"{response.status} {response.read()[:300]}")
                return
            kind = cursor = None
            while not self.ending.is_set() and (line := response.readline()):
                name, _, value = line.decode().rstrip("\n").partition(": ")
                if name == "event":
                    kind = value
                elif name == "id":
                    cursor = value
                elif name == "data":
                    self.take(kind, cursor, json.loads(value))
        finally:
            connection.close()

    def take(self, kind, cursor, data):
        record = {"client": self.name, "session": self.session.id, "op": "stream", "outcome": "ok", "key": None,
                  "called": 0.0, "returned": time.monotonic(), "at": data["revision"]}
        if kind == "snapshot":
            if data["reason"] != ("gap" if self.cursor else "opened"):
                raise RuntimeError(f"a snapshot because of {data['reason']} after {self.cursor}")
        elif kind != "change" or data["from"] != self.revision:
            raise RuntimeError(f"after revision {self.revision} came {kind} from {data.get('from')}")
        elif events := data["events"]:
            if [event["seq"] for event in events] != list(range(self.last_event + 1, data["lastEvent"] + 1)):
                raise RuntimeError(f"after event {self.last_event} came {events[0]['seq']} to {events[-1]['seq']}")
            record["streamed"] = [events[0]["seq"], events[-1]["seq"], digest(events)]
        if data["revision"] < self.revision:
            raise RuntimeError(f"after revision {self.revision} came {data['revision']}")
        if data["session"]:
            record |= state_of(data["session"])
        self.history.note(record)
        with self.changed:
            self.cursor, self.revision, self.last_event = cursor, data["revision"], data["lastEvent"]
            self.changed.notify_all()

    def wait(self, revision, seconds):
        """Returns whether the stream has come to a revision within some time."""
        with self.changed:
            return self.changed.wait_for(lambda: self.revision >= revision, timeout=seconds)
