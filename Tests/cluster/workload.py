"""Clients that change and read sessions over all nodes, and note what they are told."""

import itertools
import random
import threading
import time

from client import GONE, Client, new_key
from operations import change_of, digest, history_of, outcome_of, revision_of, state_of

OPERATIONS = {"push": 10, "pop": 4, "pop-to-root": 3, "patch": 3, "batch": 3, "chain": 2,
              "get": 8, "get-changed": 3, "events": 1}
CHANGES = {"push", "pop", "pop-to-root", "patch", "batch", "chain"}
PASSWORD = "correct horse battery"


class History:
    """What all clients were told, in no order. Safe for many threads."""

    def __init__(self):
        self.records, self.failures, self.numbers, self.done = [], [], itertools.count(1), 0
        self.lock = threading.Condition()

    def number(self):
        with self.lock:
            return str(next(self.numbers))

    def note(self, record):
        with self.lock:
            self.records.append(record)
            self.done += record["outcome"] == "ok"
            self.lock.notify_all()

    def fail(self, message):
        with self.lock:
            self.failures.append(message)
            self.lock.notify_all()

    def wait(self, count, seconds):
        """Returns when so many more operations have succeeded, or after that time; says whether they have."""
        with self.lock:
            enough = self.done + count
            return self.lock.wait_for(lambda: self.done >= enough or bool(self.failures), timeout=seconds)


class Session:
    def __init__(self, answer):
        self.id, self.token = answer["id"], answer["token"]
        self.path = f"/v1/sessions/{self.id}"
        # For the next request that depends on one; any thread may overwrite it.
        self.tag = None
        # The number of an event that the log has.
        self.last_event = 0


class Worker(threading.Thread):
    """One client. Changes with a key are sent until they are answered, the others once."""

    def __init__(self, history, sessions, ports, name, seed, stop, pause=0):
        super().__init__(name=name, daemon=True)
        self.history, self.sessions, self.stop, self.pause = history, sessions, stop, pause
        self.client = Client(ports, sum(map(ord, name)))
        self.generator = random.Random(f"{seed}/{name}")

    def run(self):
        try:
            while not self.stop.is_set():
                self.step()
                if self.pause:
                    self.stop.wait(self.generator.uniform(0, self.pause))
        except Exception as error:  # noqa: BLE001, a defect of the test must not look like silence
            self.history.fail(f"{self.name}: {error!r}")

    def step(self):
        hot, cold = self.sessions
        session = self.generator.choice(hot if self.generator.random() < 0.7 else cold)
        op = self.generator.choices(list(OPERATIONS), OPERATIONS.values())[0]
        record = {"client": self.name, "session": session.id, "op": op, "key": None}
        if op not in CHANGES:
            return self.read(session, record)
        if op == "chain" and session.tag is None:
            return self.read(session, record | {"op": "get"})
        record["n"] = self.history.number()
        # A batch with a lost response could not be told from two changes.
        if op == "batch" or self.generator.random() < 0.5:
            record["key"] = new_key()
        self.change(session, record)

    def request(self, session, record):
        """Method, path, body and fields."""
        op, n = record["op"], record["n"]
        push = {"scene": "page", "parameters": {"n": n}}
        match op:
            case "push":
                return "POST", f"{session.path}/push", push, {}
            case "chain":
                tag = session.tag
                record["if_match"] = revision_of(tag)
                return "POST", f"{session.path}/push", push, {"If_Match": tag}
            case "batch":
                operations = [{"pop-to-root": {}}, {"push": push}]
                return "POST", f"{session.path}/batch", {"operations": operations}, {}
            case "patch":
                return "PATCH", f"{session.path}/view-controllers/vc1", {"title": n}, {}
        return "POST", f"{session.path}/{op}", {}, {}

    def change(self, session, record):
        method, path, body, fields = self.request(session, record)
        record["called"] = time.monotonic()
        may_be_done = False
        while True:
            sent, response = time.monotonic(), None
            try:
                response = self.client.call(
                    method, path, body, session.token, Idempotency_Key=record["key"], **fields)
                outcome = outcome_of(response.status, response.body)
            except GONE:
                outcome = "maybe"
            self.client.turn()
            if outcome is None:
                return self.history.fail(f"{record}: {response.status} {response.content[:300]}")
            is_final = outcome in ("ok", "gone") or (response is not None and response.status == 412)
            # Until the end of the run and beyond: a change with a key is answered in the end.
            if is_final or record["key"] is None:
                break
            self.stop.wait(self.generator.uniform(0.01, 0.1))
            may_be_done |= outcome == "maybe"
            if sent - record["called"] > 120:
                outcome = "maybe" if may_be_done else outcome
                break
        record |= {"outcome": outcome, "returned": None if outcome == "maybe" else time.monotonic(),
                   "status": response.status if response else None}
        if outcome == "ok":
            record |= change_of(response.body) | {"sent": sent, "replayed": response.is_replayed}
            session.tag = response.tag
            if record["key"]:
                record |= self.digests(response)
        self.history.note(record)
        if outcome == "ok" and record["key"] and self.generator.random() < 0.1:
            self.repeat(session, record, (method, path, body, fields))

    def digests(self, response):
        """Digests of the whole response, and of what every repetition must answer: the service stores large
        responses, and those of a session with many, without the session, and adds it as it is then."""
        kept = {name: value for name, value in response.body.items() if name != "session"}
        return {"answer": digest(kept), "whole": digest(response.content)}

    def repeat(self, session, record, request):
        """Sends an answered change with its key again, to another node."""
        method, path, body, fields = request
        called = time.monotonic()
        try:
            response = self.client.call(method, path, body, session.token, Idempotency_Key=record["key"], **fields)
        except GONE:
            return self.client.turn()
        if outcome_of(response.status, response.body) == "ok":
            repeat = {
                "client": self.name, "session": session.id, "op": "repeat", "key": record["key"], "outcome": "ok",
                "called": called, "returned": time.monotonic(), "replayed": response.is_replayed,
                **self.digests(response)}
            # A later state than that of the first response is a read of the session.
            if response.body["session"]["revision"] > record["at"]:
                repeat |= state_of(response.body["session"])
            self.history.note(repeat)

    def read(self, session, record):
        record["called"] = time.monotonic()
        try:
            if record["op"] == "events":
                self.read_events(session, record)
            else:
                self.read_session(session, record)
        except GONE:
            record["outcome"] = "maybe"
        record["returned"] = None if record["outcome"] == "maybe" else time.monotonic()
        self.client.turn()
        self.history.note(record)

    def read_session(self, session, record):
        fields = {"If_None_Match": session.tag} if record["op"] == "get-changed" else {}
        response = self.client.call("GET", session.path, None, session.token, **fields)
        record["outcome"] = self.judge(record, response)
        if record["outcome"] == "ok":
            if response.status == 304:
                record["at"] = revision_of(response.tag)
            else:
                record |= state_of(response.body)
            session.tag = response.tag

    def read_events(self, session, record):
        """The end of the log: what was logged before the call is there."""
        last, after = session.last_event, str(session.last_event)
        while after is not None:
            response = self.client.call("GET", f"{session.path}/events?after={after}&limit=1000", None, session.token)
            record["outcome"] = self.judge(record, response)
            if record["outcome"] != "ok":
                return
            last = max([last, *(event["seq"] for event in response.body["items"])])
            after = response.body["next"]
        record["last_event"] = session.last_event = last

    def judge(self, record, response):
        outcome = outcome_of(response.status, response.body)
        if outcome is None:
            self.history.fail(f"{record}: {response.status} {response.content[:300]}")
        return outcome or "maybe"


def read_log(client, session, seconds):
    """All events of a session."""
    after, log = 0, []
    while True:
        page = client.insist("GET", f"{session.path}/events?after={after}&limit=1000", None, session.token,
                             seconds).body
        log += page["items"]
        if page["next"] is None:
            return log
        after = log[-1]["seq"]


def read_history(client, session, seconds):
    """All changes that the service lists of a session."""
    after, entries = 0, []
    while after is not None:
        page = client.insist("GET", f"{session.path}/history?after={after}&limit=1000", None, session.token,
                             seconds).body
        entries += page["items"]
        after = page["next"]
    return history_of(entries)
