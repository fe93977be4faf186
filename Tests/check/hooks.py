"""Lets schemathesis in: to each session with the token that came with it."""

import requests
import schemathesis
from schemathesis.core.parameters import ParameterLocation

PASSWORD = "correct horse battery staple"


class Sessions:
    """The tokens of the sessions that live, and one of our own for requests that name none of them:
    most of the service is behind a session that lives."""

    def __init__(self):
        self.tokens = {}
        self.own = None
        self.count = 0

    def live(self, base):
        if self.own not in self.tokens:
            self.own = self.open(base)
        return self.own

    def open(self, base):
        """Opens a session at the app root."""
        session = requests.post(f"{base}/v1/sessions", timeout=10).json()
        self.count += 1
        requests.post(
            f"{base}/v1/sessions/{session['id']}/sign-up", timeout=20,
            headers={"Authorization": f"Bearer {session['token']}"},
            json={"username": f"check-{self.count}", "password": PASSWORD}).raise_for_status()
        self.tokens[session["id"]] = session["token"]
        return session["id"]


sessions = Sessions()


@schemathesis.auth().apply_to(path_regex=r"^/v1/sessions/\{session\}")
class SessionToken:
    def get(self, case, context):
        parameters = case.path_parameters
        is_made_up = case.meta is not None and case.meta.is_negative_at(ParameterLocation.PATH)
        if not is_made_up and parameters.get("session") not in sessions.tokens:
            parameters["session"] = sessions.live(case.operation.base_url)
        return sessions.tokens.get(parameters.get("session"), "wps_" + "0" * 64)

    def set(self, case, data, context):
        case.headers["Authorization"] = f"Bearer {data}"


@schemathesis.check
def listed_problem(context, response, case):
    """A problem has a code that openapi.yaml lists for its operation, or for all operations."""
    if response.status_code < 400 or case.method != case.operation.method.upper():
        return
    common = case.operation.schema.raw_schema["components"]["responses"]["Problem"]["x-problem-codes"]
    listed = {*common, *case.operation.definition.raw.get("x-problem-codes", [])}
    # A made-up value of a parameter can make another path of it.
    code = response.json()["code"]
    assert code in listed | {"not-found", "method-not-allowed"}, f"openapi.yaml does not list {code}"


@schemathesis.hook
def before_call(context, case, kwargs):
    """A stream ends within a second: otherwise it has no end."""
    if case.operation.definition.raw.get("operationId") != "getChanges":
        return
    query = dict(case.query or {})
    seconds = str(query.get("seconds", 1))
    if seconds.isascii() and seconds.isdigit() and 1 <= int(seconds) <= 3600:
        query["seconds"] = 1
        case.query = query


@schemathesis.hook
def after_call(context, case, response):
    operation = case.operation.definition.raw.get("operationId")
    if operation == "createSession" and response.status_code == 201:
        session = response.json()
        sessions.tokens[session["id"]] = session["token"]
    if operation == "deleteSession" and response.status_code == 204:
        sessions.tokens.pop(case.path_parameters["session"], None)
