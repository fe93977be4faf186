"""A client that ends credentials and sessions on one node, and looks for them on the others."""

import time

from client import GONE, new_key
from operations import outcome_of
from workload import PASSWORD, Session, Worker


class Revoker(Worker):
    """By turns: opens sessions with a new credential, revokes it, and asks all nodes; or ends a session."""

    def __init__(self, history, ports, epoch, seed, stop):
        super().__init__(history, None, ports, "revoker", seed, stop)
        self.username = f"revoker-{epoch}-{seed}"[:60]
        self.account = None

    def step(self):
        if self.account is None:
            self.account = self.open()
            self.main = self.client.insist("POST", f"{self.account.path}/sign-up", {
                "username": self.username, "password": PASSWORD}, self.account.token).body["credential"]
        if self.generator.random() < 0.5:
            self.revoke()
        else:
            self.end()

    def open(self, **body):
        self.client.turn()
        return Session(self.client.insist("POST", "/v1/sessions", body).body)

    def send(self, record, *request, **fields):
        """Sends one request, once, and notes it; returns the response, or None."""
        record |= {"client": self.name, "called": time.monotonic()}
        response = None
        try:
            response = self.client.call(*request, **fields)
            outcome = outcome_of(response.status, response.body)
            # A repetition of what was done without a response.
            if outcome is None and response.status == 404:
                outcome = "ok"
            if outcome is None:
                self.history.fail(f"{record}: {response.status} {response.content[:300]}")
                outcome = "maybe"
        except GONE:
            outcome = "maybe"
        record |= {"outcome": outcome, "returned": None if outcome == "maybe" else time.monotonic()}
        if outcome == "ok" and record["op"] == "auth":
            record["auth"] = response.body["auth"]["state"]
        self.client.turn()
        self.history.note(record)
        return response if outcome == "ok" else None

    def revoke(self):
        door = self.open()
        log_in = {"username": self.username, "password": PASSWORD}
        credential = self.client.insist("POST", f"{door.path}/log-in", log_in, door.token).body["credential"]
        sessions = [door, *(self.open(credential=credential) for _ in range(3))]
        self.ask(sessions)
        listed = self.client.insist("GET", "/v1/account/credentials", None, credential).body["items"]
        [own] = [entry["id"] for entry in listed if entry["isCurrent"]]
        key = new_key()
        record = {"session": door.id, "op": "revoke", "sessions": [session.id for session in sessions]}
        while self.send(record.copy(), "DELETE", f"/v1/account/credentials/{own}", None, self.main,
                        Idempotency_Key=key) is None:
            if self.stop.wait(0.05):
                return
        for _ in range(3):
            self.ask(sessions)
        late = self.open(credential=credential)
        self.history.note({
            "client": self.name, "session": door.id, "op": "open", "outcome": "ok", "called": time.monotonic(),
            "returned": time.monotonic(), "auth": self.state(late)})

    def state(self, session):
        return self.client.insist("GET", session.path, None, session.token).body["auth"]["state"]

    def ask(self, sessions):
        for session in sessions:
            self.send({"session": session.id, "op": "auth"}, "GET", session.path, None, session.token)

    def end(self):
        session = self.open()
        for _ in range(3):
            self.send({"session": session.id, "op": "look"}, "GET", session.path, None, session.token)
        key = new_key()
        while True:
            record = {"session": session.id, "op": "end"}
            done = self.send(record, "DELETE", session.path, None, session.token, Idempotency_Key=key)
            if done or record["outcome"] == "gone":
                break
            if self.stop.wait(0.05):
                return
        for _ in range(3):
            self.send({"session": session.id, "op": "look"}, "GET", session.path, None, session.token)
