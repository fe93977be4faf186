"""A client that follows a session's changes over crashes, and holds the stream to its promises."""

import http.client
import json
import threading

from service import GONE


class Watcher:
    """Follows one session, from one run of the service to the next.

    In each run, the first message is a snapshot (only the very first time) or leads on from the last
    message of the run before. Messages leave out no revision and no event, and repeat none.
    """

    def __init__(self, session):
        self.path, self.token = session
        self.cursor = None
        self.revision = self.last_event = None
        self.messages = 0
        self._thread = None
        self._failure = None

    def start(self, port):
        """Follows the session in a thread, until the service goes away."""
        self._begun = threading.Event()
        self._thread = threading.Thread(target=self._follow, args=(port,))
        self._thread.start()
        self._begun.wait(20)

    def join(self):
        self._thread.join()
        if self._failure:
            raise self._failure

    def check(self, client):
        """Nothing was streamed that the store does not have."""
        status, session = client.call("GET", self.path, token=self.token)
        assert status == 200, session
        assert self.revision <= session["revision"], (
            f"revision {self.revision} was streamed, and the store has {session['revision']}")
        status, page = client.call("GET", f"{self.path}/events?after={self.last_event - 1}&limit=1", token=self.token)
        assert page["items"][0]["seq"] == self.last_event, "an event was streamed that the store does not have"
        assert page["items"][0]["revision"] <= self.revision

    def _follow(self, port):
        try:
            self._read(port)
        except GONE:
            pass
        except Exception as error:
            self._failure = error
        self._begun.set()

    def _read(self, port):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        headers = {"Authorization": f"Bearer {self.token}"}
        if self.cursor:
            headers["Last-Event-ID"] = self.cursor
        connection.request("GET", f"{self.path}/changes", headers=headers)
        response = connection.getresponse()
        assert response.status == 200, response.read()
        self._begun.set()
        kind = cursor = None
        while line := response.readline():
            name, _, value = line.decode().rstrip("\n").partition(": ")
            if name == "event":
                kind = value
            elif name == "id":
                cursor = value
            elif name == "data":
                self._take(kind, cursor, json.loads(value))

    def _take(self, kind, cursor, data):
        if kind == "snapshot":
            assert self.cursor is None and data["reason"] == "opened", f"a snapshot because of {data['reason']}"
        else:
            assert kind == "change", kind
            assert data["from"] == self.revision, f"after revision {self.revision} comes one from {data['from']}"
            numbers = [event["seq"] for event in data["events"]]
            assert numbers == list(range(self.last_event + 1, data["lastEvent"] + 1)), (self.last_event, numbers)
            assert data["session"] is None or data["session"]["revision"] == data["revision"]
        self.cursor, self.revision, self.last_event = cursor, data["revision"], data["lastEvent"]
        self.messages += 1
