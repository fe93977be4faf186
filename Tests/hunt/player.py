"""Plays the steps of a sequence against a service, and holds each answer to the model."""

import itertools
import json

from apps import Apps
from costs import is_large_refusal, is_large_store
from model import ITEM_LIMIT, TITLE_LIMIT, Session, Violation, canonical, require
from repetitions import Repetitions
from service import PASSWORD, Client, Service, size_of_store

# The names of the operations whose steps have another name.
NAMES = {"set": "set-view-controllers", "root": "set-root-view-controller", "select": "select-row",
         "segment": "select-segment", "link": "open"}


class Sent:
    """A request with a key, which can come again."""

    def __init__(self, session, method, path, body, fields, token, answer):
        self.session, self.method, self.path, self.body = session, method, path, body
        self.fields, self.token, self.answer = fields, token, answer
        content = answer.content if isinstance(answer.content, dict) else {}
        # The log-in that the answer belongs to.
        self.credential = content.get("credential") or session.credential


class Player(Repetitions):
    """
    - profile: of steps.py; with `memory`, the store is one.
    - report: called with a Violation that does not spoil the rest of the sequence.
    """

    def __init__(self, waypost, folder, profile, description, report):
        self.waypost, self.description, self.report = waypost, description, report
        self.apps = Apps(folder)
        self.app = (0, 0)
        self.store = "memory" if profile == "memory" else f"{folder}/sequence.sqlite"
        self.sessions, self.sent, self.credentials = [], [], []
        self.revoked = set()
        self.keys = itertools.count()
        self.bytes_sent = 0
        self.service = self.client = None
        self.start()

    # MARK: The service

    def start(self):
        self.service = Service(self.waypost, self.store, *self.apps.options(*self.app))
        self.client = Client(self.service)

    def end(self):
        self.bytes_sent += self.client.sent
        self.service.stop()
        if self.store == "memory":
            return
        size = size_of_store(self.store)
        require(not is_large_store(size, self.bytes_sent),
                "the store grows with what was sent", f"{size} bytes of {self.bytes_sent} sent")

    def restart(self, how):
        if self.store == "memory":
            return
        self.bytes_sent += self.client.sent
        self.client.close()
        self.service.kill() if how == "kill" else self.service.stop()
        self.start()
        for session in self.living():
            self.read(session)

    def close(self):
        self.service.kill()

    # MARK: Requests

    def call(self, method, path, body=None, token=None, fields=None):
        answer = self.client.call(method, path, body, token, fields)
        self.judge(method, path, answer)
        return answer

    def judge(self, method, path, answer):
        self.service.check_alive()
        require(answer.status < 500, "no answer is 5xx", f"{method} {path}: {answer}")
        operation = self.description.operation(method, path.split("?")[0])
        require(operation is None or operation.describes(answer),
                "openapi.yaml has the response", f"{method} {path}: {answer}")
        if answer.status >= 400:
            if is_large_refusal(answer):
                self.report(Violation(
                    "a refusal is not much larger than its request",
                    f"{method} {path}: {len(answer.body)} bytes of {answer.sent} sent"))

    def living(self):
        return [session for session in self.sessions if not session.has_ended]

    def session(self, step):
        living = self.living()
        if not living:
            return self.open({})
        return living[step.get("s", 0) % len(living)]

    def read(self, session):
        answer = self.call("GET", session.path, None, session.token)
        require(answer.status == 200, "a session lives until it is ended", answer)
        had_fallen = bool(session.may_fall_back)
        session.note_read(answer.content, answer.tag)
        if session.content["auth"]["state"] == "loggedOut":
            session.credential = None
        if had_fallen:
            self.read_log(session)

    def read_log(self, session):
        log = []
        while True:
            after = log[-1]["seq"] if log else 0
            answer = self.call(
                "GET", f"{session.path}/events?after={after}&limit=1000", None, session.token)
            require(answer.status == 200, "the log can be read", answer)
            if not answer.content["items"]:
                break
            log += answer.content["items"]
        session.note_log(log)

    def touch(self, session):
        """Reads a session first that the next request may find fallen back."""
        if session.may_fall_back or session.may_look_different:
            self.read(session)

    def fields(self, session, step):
        fields = {}
        if step.get("key"):
            fields["Idempotency-Key"] = f"key-{next(self.keys):018}"
        match = step.get("match")
        if match and session:
            stale = session.stale_tags()
            fields["If-Match"] = {"now": session.tag, "any": "*", "none": '"0-nothing"'}.get(
                match, stale[step["s"] % len(stale)] if stale else '"0-nothing"')
        return fields

    def change(self, session, step, method, path, body):
        """Sends a change of a session; returns its answer."""
        self.touch(session)
        fields = self.fields(session, step)
        answer = self.call(method, f"{session.path}/{path}", body, session.token, fields)
        self.note_answer(session, fields, answer)
        if "Idempotency-Key" in fields and answer.status < 300:
            self.sent.append(Sent(session, method, f"{session.path}/{path}", body, fields,
                                  session.token, answer))
        return answer

    def note_answer(self, session, fields, answer):
        match = fields.get("If-Match")
        require(answer.fields.get("idempotency-replayed") is None, "a new key has no answer yet", answer)
        if answer.status == 412:
            require(match not in (session.tag, "*"), "If-Match takes the present tag", match)
        elif answer.status == 200:
            require(match in (None, session.tag, "*"), "If-Match refuses other tags",
                    f"{match} was taken, and the tag was {session.tag}")
            session.note_change(answer.content, answer.tag)
        require(answer.status != 404 or answer.code != "session-not-found",
                "a session lives until it is ended", answer)

    # MARK: Steps

    def play(self, step):
        getattr(self, "do_" + step["do"].replace("-", "_"), self.do_operation)(step)

    def open(self, step):
        body = {}
        if step.get("lifecycle"):
            body["lifecycle"] = step["lifecycle"]
        if step.get("credential") is not None and self.credentials:
            body["credential"] = self.credentials[step["credential"] % len(self.credentials)]
        fields = self.fields(None, step)
        answer = self.call("POST", "/v1/sessions", body, None, fields)
        require(answer.status == 201, "a session can be opened", answer)
        content = {name: value for name, value in answer.content.items() if name != "token"}
        session = Session(content["id"], answer.content["token"], content)
        session.note_content(content, answer.tag)
        if content["auth"]["state"] == "loggedIn":
            session.credential = body.get("credential")
        self.sessions.append(session)
        self.read_log(session)
        if fields:
            self.sent.append(Sent(session, "POST", "/v1/sessions", body, fields, None, answer))
        return session

    do_open = open

    def do_operation(self, step):
        session = self.session(step)
        name = NAMES.get(step["do"], step["do"])
        self.change(session, step, "POST", name, self.body(session, step["body"]))

    def body(self, session, body):
        """The body with ids in the places of numbers."""
        if isinstance(body, list):
            return [self.body(session, element) for element in body]
        if not isinstance(body, dict):
            return body
        body = {name: self.body(session, value) for name, value in body.items()}
        if (number := body.pop("instance", None)) is not None:
            body["viewController"] = self.instance(session, number)
        return body

    def instance(self, session, number):
        """An id: of the stack, of what was seen once, or of nothing."""
        stack, seen = session.stack, list(session.scenes)
        if number % 8 == 0:
            return "vc999999"
        return seen[number % len(seen)] if number % 8 < 3 else stack[number % len(stack)]

    def do_patch(self, step):
        session = self.session(step)
        body = json.loads(json.dumps(step["body"]))
        item = body.get("navigationItem", {})
        is_too_large = False
        for target, names in ((body, ["title", "bottomBarText"]), (item, ["title", "backButtonTitle"])):
            for name in names:
                if target.get(name) is not None:
                    is_too_large |= target[name] > TITLE_LIMIT
                    target[name] = "t" * target[name]
        for target, names in ((body, ["toolbarItems"]), (item, ["leftItems", "rightItems"])):
            for name in names:
                if name in target:
                    is_too_large |= target[name] > ITEM_LIMIT
                    target[name] = ["i"] * target[name]
        id = self.instance(session, step["vc"]["instance"])
        answer = self.change(session, step, "PATCH", f"view-controllers/{id}", body)
        if is_too_large and answer.status == 200:
            self.report(Violation("titles and items have a limit", f"taken: {canonical(step['body'])}"))

    def do_batch(self, step):
        session = self.session(step)
        operations = [{NAMES.get(entry["do"], entry["do"]): self.body(session, entry["body"])}
                      for entry in step["operations"]]
        self.change(session, step, "POST", "batch", {"operations": operations})

    def user(self, step):
        return {"username": f"user-{step['user']}",
                "password": PASSWORD + ("!" if step["wrong"] and step["do"] == "log-in" else "")}

    def do_sign_up(self, step):
        step = {"user": len(self.credentials), "wrong": False} | step
        session = self.session(step)
        answer = self.change(session, step, "POST", step["do"], self.user(step))
        if answer.status == 200:
            require(not (step["wrong"] and step["do"] == "log-in"), "a wrong password is refused", answer)
            session.credential = answer.content["credential"]
            self.credentials.append(session.credential)

    do_log_in = do_sign_up

    def do_log_out(self, step):
        session = self.session(step)
        credential = session.credential
        answer = self.change(session, step, "POST", "log-out", {})
        if answer.status == 200 and answer.content["changed"]:
            session.credential = None
            self.revoked.add(credential)
            for other in self.living():
                if credential and other.credential == credential:
                    other.may_fall_back.add("credential")

    def do_delete(self, step):
        session = self.session(step)
        self.touch(session)
        fields = self.fields(session, step)
        answer = self.call("DELETE", session.path, None, session.token, fields)
        if answer.status == 204:
            require(fields.get("If-Match") in (None, session.tag, "*"), "If-Match refuses other tags",
                    fields)
            session.has_ended = True
            gone = self.call("GET", session.path, None, session.token)
            require(gone.status == 404, "a session that has ended is gone", gone)
            if "Idempotency-Key" in fields:
                self.sent.append(
                    Sent(session, "DELETE", session.path, None, fields, session.token, answer))

    def do_get(self, step):
        session = self.session(step)
        self.touch(session)
        if step["n"] % 4 == 0:
            path = session.path + "/view-controllers"
            answer = self.call("GET", path, None, session.token)
            require(canonical(answer.content["viewControllers"])
                    == canonical(session.content["viewControllers"]), "what was answered is kept", answer)
            session.note_tag(path, answer.tag, answer.content)
            return
        tags = list(session.tags[session.path])
        tag = tags[step["n"] % len(tags)]
        answer = self.call("GET", session.path, None, session.token, {"If-None-Match": tag})
        if answer.status == 304:
            require(session.tags[session.path][tag] == canonical(session.content),
                    "304 means that nothing has changed", tag)
        else:
            session.note_read(answer.content, answer.tag)

    def do_events(self, step):
        session = self.session(step)
        self.touch(session)
        self.read_log(session)

    def do_screen(self, step):
        session = self.session(step)
        self.touch(session)
        answer = self.call("GET", f"{session.path}/screen?limit=5", None, session.token)
        require(answer.content["viewController"] == session.stack[-1], "the screen is that of the top",
                answer)
        if rows := answer.content.get("numberOfRows"):
            after = step["n"] % rows
            page = self.call("GET", f"{session.path}/screen?after={after}&limit=5", None, session.token)
            require([row["row"] for row in page.content["rows"]] == list(range(rows))[after + 1:after + 6],
                    "a page has the rows after the given one", page)
