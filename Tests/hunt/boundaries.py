"""Each number that a client can send, at its boundaries: the service lives and answers as described."""

import json
import socket
from urllib.parse import quote

from description import Description
from service import PASSWORD, Client, Crashed, Service, Unanswered

PART = "boundaries"
POWERS = [2**31, 2**32, 2**53, 2**63, 2**64]
NUMBERS = [
    *(str(power + step) for power in POWERS for step in (-1, 0, 1)),
    *(str(-(2**63) + step) for step in (-1, 0, 1)), str(2**63 - 2), str(2**63 - 1000), str(2**128),
    "0", "1", "2", "-1", "-0", "-0.0", "1.0", "1.5", "1e2", "1e19", "1e-400", "1e400", "-1e400",
    "9.223372036854775807e18", "00", "01", "-01", "+1", "0x10", "1_000", " 1", "1 ", "", "-", "NaN",
    "Infinity", "null", '"1"', "[]", "\u0661", "9" * 400, "0" * 400 + "1", "0." + "0" * 400 + "1",
]


class Hunter:
    def __init__(self, waypost, store, findings):
        self.description = Description()
        self.waypost, self.store, self.findings = waypost, store, findings
        self.kind = "memory" if store == "memory" else "sqlite"
        self.users = self.requests = 0
        self.start()

    def start(self):
        self.service = Service(self.waypost, self.store)
        # Passwords are hashed at the lowest priority: beside other programs a sign-up takes seconds.
        self.client = Client(self.service, timeout=30)
        self.session = self.credential = None
        self.refresh()

    def refresh(self):
        """Makes sure that there is a session at the app root, with a screen above its root."""
        if self.session:
            answer = self.client.call("GET", self.path(), None, self.session[1])
            if answer.status == 200 and answer.content["auth"]["state"] == "loggedIn":
                return
        self.session = self.client.open_session()
        self.users += 1
        user = {"username": f"{self.kind}-{self.users}", "password": PASSWORD}
        answer = self.client.call("POST", self.path("/sign-up"), user, self.session[1])
        self.credential = answer.content["credential"]
        self.client.call("POST", self.path("/select-row"), {"row": 0}, self.session[1])

    def path(self, rest=""):
        return f"/v1/sessions/{self.session[0]}{rest}"

    def live_texts(self):
        """Positions and ids as the service gives them."""
        texts = {}
        for operation in self.description.operations:
            if any(parameter["name"] == "after" for parameter in operation.parameters):
                token = self.credential if operation.security else None
                if operation.security:
                    # A second credential, so that there is a second page.
                    session = self.client.open_session()
                    user = {"username": f"{self.kind}-{self.users}", "password": PASSWORD}
                    self.client.call(
                        "POST", f"/v1/sessions/{session[0]}/log-in", user, session[1])
                page = self.client.call("GET", operation.path + "?limit=1", None, token).content
                texts[operation.name, "after"] = page.get("next")
        return texts

    def request(self, position, number):
        """The method, the target, the body, the token and the fields of a request."""
        operation = position.operation
        values = {"session": self.session[0]}
        for parameter in operation.parameters:
            if parameter["in"] == "path":
                values.setdefault(parameter["name"], str(parameter.get("example", "x")))
        fields, query, body = {}, "", None
        bodies = operation.bodies()
        if bodies:
            body = json.dumps({} if operation.takes_password else bodies[0])
        filled = position.filled(number) if position.place != "body" else None
        if position.place == "path":
            values[position.name] = filled
        elif position.place == "query":
            query = f"?{position.name}={quote(filled, safe='')}"
        elif position.place == "header":
            fields[position.name] = filled.encode()
        else:
            body = position.body_with(number)
        if operation.path.endswith("/changes"):
            # A stream must have an end.
            end = "seconds=1" if "messages=" in query else "messages=1"
            query = f"{query}&{end}" if query else f"?{end}"
        path = operation.path
        for name, value in values.items():
            path = path.replace("{" + name + "}", quote(value, safe=""))
        token = None
        if operation.security:
            token = self.credential if "credential" in operation.security else self.session[1]
        return operation.method, path + query, body and body.encode(), token, fields

    def judge(self, position, number, answer):
        """Reports an answer that the description does not have."""
        operation = position.operation
        shown = number if len(number) < 60 else f"{number[:8]}… ({len(number)} characters)"
        if answer.status >= 500:
            self.report("an answer of 5xx", position, shown, str(answer))
        elif not operation.describes(answer):
            self.report("a response that openapi.yaml does not have", position, shown, str(answer))
        elif answer.status < 400:
            content = operation.responses[str(answer.status)].get("content", {})
            if answer.body and answer.type not in {name.split(";")[0] for name in content}:
                self.report("a content type that openapi.yaml does not have", position, shown,
                            f"{answer.status} {answer.type}")

    def report(self, rule, position, number, text):
        self.findings.add(PART, f"{rule}: {position} ({self.kind} store)",
                          f"with {number!r}: {text}")

    def hunt(self):
        positions = [position for operation in self.description.operations
                     for position in operation.positions(self.live_texts_once())]
        for position in positions:
            try:
                self.refresh()
            except (Crashed, Unanswered):
                self.restart()
            for number in NUMBERS:
                if position.place == "header" and any(c in number for c in "\r\n"):
                    continue
                self.requests += 1
                try:
                    answer = self.client.call(*self.request(position, number))
                    self.service.check_alive()
                    self.judge(position, number, answer)
                    if answer.status == 204:
                        self.refresh()
                except Crashed as crash:
                    self.report("the process ended", position, number, str(crash))
                    self.restart()
                    break
                except Unanswered as unanswered:
                    self.report("no answer", position, number, str(unanswered))
        self.hunt_lengths()
        self.service.stop()
        return len(positions)

    def live_texts_once(self):
        if not hasattr(self, "texts"):
            self.texts = self.live_texts()
        return self.texts

    def restart(self):
        self.service.kill()
        self.start()

    def hunt_lengths(self):
        """Content-Length, which HTTP clients do not let one choose."""
        for number in NUMBERS:
            request = (b"POST /v1/sessions HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
                       b"Content-Length: " + number.encode() + b"\r\n\r\n{}")
            self.requests += 1
            try:
                with socket.create_connection(("127.0.0.1", self.service.port), 5) as wire:
                    wire.sendall(request)
                    wire.settimeout(0.3)
                    line = wire.makefile("rb").readline()
            except TimeoutError:
                continue  # The service waits for the rest of the body, as it should.
            except OSError as error:
                if isinstance(self.service.judge(error), Crashed):
                    self.findings.add(PART, f"the process ended: Content-Length ({self.kind} store)",
                                      f"with {number!r}")
                    self.restart()
                continue
            status = int(line.split()[1]) if line else None
            # Two bytes are sent: with a larger number, the body never comes whole.
            if status not in (None, 201, 400, 413, 431):
                self.findings.add(PART, f"the answer to a Content-Length ({self.kind} store)",
                                  f"with {number!r}: {line!r}")


def hunt(waypost, folder, findings, **_):
    for store in ("memory", f"{folder}/boundaries.sqlite"):
        hunter = Hunter(waypost, store, findings)
        positions = hunter.hunt()
        print(f"boundaries: {hunter.requests} requests, {positions} places of numbers, "
              f"{hunter.kind} store")
