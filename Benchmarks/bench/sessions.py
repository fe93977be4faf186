"""Sessions at the app root, and the requests that are sent to them."""

import json
from dataclasses import dataclass

from .client import Client, Request

# Sessions that are pushed onto before the first of them is popped from again.
CHUNK = 1024


@dataclass(frozen=True)
class Session:
    """Where a session is, and what opens it."""
    path: str
    token: str

    def get(self, suffix=""):
        """Reads the session, or what lies below it."""
        return Request("GET", self.path + suffix, self.token)

    def push(self, scene="titles"):
        """Pushes `scene`."""
        return Request("POST", f"{self.path}/push", self.token, json.dumps({"scene": scene}))

    def pop(self):
        """Pops."""
        return Request("POST", f"{self.path}/pop", self.token, "{}")

    def set_root(self, scene="titles"):
        """Makes a new instance of `scene` the root: a change whose answer always has the same
        size, however many clients send it at once."""
        return Request(
            "POST", f"{self.path}/set-root-view-controller", self.token, json.dumps({"scene": scene}))


def sign_up(client):
    """A credential that opens new sessions at the app root of Waypost."""
    opened = client.send(Request("POST", "/v1/sessions", body="{}")).json()
    account = {"username": "bench", "password": "correct horse battery staple"}
    return client.send(Request(
        "POST", f"/v1/sessions/{opened['id']}/sign-up", opened["token"],
        json.dumps(account))).json()["credential"]


def open_sessions(server, count, credential=None):
    """Opens `count` sessions at the app root."""
    body = {} if credential is None else {"credential": credential}
    request = Request("POST", "/v1/sessions", body=json.dumps(body))
    with Client(server) as client:
        answers = (answer.json() for answer in client.send_all([request] * count))
        return [Session(f"/v1/sessions/{opened['id']}", opened["token"]) for opened in answers]


def return_to_root(server, sessions):
    """Pops until every session is at its root."""
    with Client(server) as client:
        while sessions:
            answers = client.send_all([session.pop() for session in sessions])
            sessions = [
                session for session, answer in zip(sessions, answers) if answer.json()["changed"]]


def revisions(server, sessions):
    """The sum of the sessions' revisions: it grows by one with each change."""
    with Client(server) as client:
        requests = [session.get() for session in sessions]
        return sum(answer.json()["revision"] for answer in client.send_all(requests))


def push_and_pop(sessions, scene="titles", chunk=CHUNK):
    """Pushes onto each session of a chunk, then pops from each; and so on for all chunks.

    A push and its pop are so far apart that one client seldom overtakes another that was given the
    push; and a run that stops anywhere leaves one chunk at most with a push.
    """
    for start in range(0, len(sessions), chunk):
        part = sessions[start:start + chunk]
        yield from (session.push(scene) for session in part)
        yield from (session.pop() for session in part)
