"""The worst input of each route: what costs most, or answers or keeps most, of all that is within the limits."""

import itertools
import json
import uuid

PASSWORD = "correct horse battery staple"
NUMBERS = itertools.count(1)


class Session:
    """A session at the login root, or of a user."""

    def __init__(self, service, user=True):
        self.service = service
        answer, self.sent, _ = service.send("POST", "/v1/sessions")
        opened = answer.json
        self.path = f"/v1/sessions/{opened['id']}"
        self.headers = [f"Authorization: Bearer {opened['token']}"]
        if user:
            self.name = f"user{next(NUMBERS)}"
            answer = self.send("POST", "sign-up", {"username": self.name, "password": PASSWORD})
            self.credential = [f"Authorization: Bearer {answer.json['credential']}"]

    @classmethod
    def opened(cls, service, answer):
        """A session that was opened by another request."""
        session = cls.__new__(cls)
        session.service, session.sent = service, 0
        session.path = f"/v1/sessions/{answer.json['id']}"
        session.headers = [f"Authorization: Bearer {answer.json['token']}"]
        return session

    def send(self, method, operation, body=None, key=False):
        path = f"{self.path}/{operation}" if operation else self.path
        # As clients make them: a UUID.
        headers = self.headers + ([f"Idempotency-Key: {uuid.uuid4()}"] if key else [])
        answer, sent, self.answered = self.service.send(method, path, body, headers)
        self.sent += sent
        return answer

    def fill(self, answered=True):
        """Makes it as large as it may be: a full stack, and texts up to the limit of a session.
        - answered: whether its answers are to be as large as they may be, or else what is stored of it.
        """
        self.send("POST", "batch", {"operations": [{"push": {"scene": "titles"}}] * 998})
        # A control character takes six bytes in JSON, and one in the store.
        items, count = (["\x01" * 1024] * 6, 7) if answered else (["x" * 1024] * 20, 12)
        for number in range(3, 3 + count):
            answer = self.send("PATCH", f"view-controllers/vc{number}",
                               {"navigationItem": {"leftItems": items}})
            if answer.status != 200:
                raise SystemExit(f"a session of {number - 3} large view controllers is refused")
        return self


def text(length):
    return "x" * length


# Each of them: route, what is sent, and whether it is answered with 2xx. `{n}` is another number each time.
BODIES = [
    ("POST push", {"scene": "titles"}, True),
    ("POST push", {"scene": "books", "parameters": {f"p{i}": text(600) for i in range(100)}}, False),
    ("POST pop", {}, True),
    ("POST pop", {f"m{i}": 1 for i in range(5000)}, False),
    ("POST pop-to", {"scene": "titles"}, True),
    ("POST pop-to", {"scene": text(60_000)}, False),
    ("POST pop-to-root", {}, True),
    ("POST back", {}, True),
    ("POST select-row", {"row": 0}, True),
    ("POST select-row", {"row": 2**63 - 1}, False),
    ("POST select-segment", {"index": 1}, True),
    ("POST set-root-view-controller", {"scene": "titles"}, True),
    ("POST set-view-controllers", {"viewControllers": [{"scene": "titles"}] * 1000}, True),
    ("POST set-view-controllers", {"viewControllers": [{}] * 3900}, False),
    ("POST set-view-controllers", {"viewControllers": [1] * 3900}, False),
    ("PATCH view-controllers/vc2", {"navigationItem": {"rightItems": [text(1024)] * 20}}, True),
    ("PATCH view-controllers/vc2", {"navigationItem": {"rightItems": [1] * 30_000}}, False),
    ("PATCH view-controllers/vc2", {"toolbarItems": [text(1024)] * 20, "bottomBarText": text(1024)}, True),
    ("PATCH view-controllers/vc2", {"parameters": {f"p{i}": text(600) for i in range(100)}}, False),
    ("POST open", {"path": "/authors/gustave-flaubert/books/madame-bovary"}, True),
    ("POST open", {"path": "/" + text(60_000)}, False),
    ("POST present", {"scene": "titles"}, True),
    ("POST present", {"scene": "books", "parameters": {f"p{i}": text(600) for i in range(100)}}, False),
    ("POST dismiss", {}, True),
    ("POST swipe-down", {}, False),
    ("POST swipe-back", {"completed": False}, True),
    ("POST select-tab", {"index": 1}, False),
    ("POST tap-tab", {"index": 2**63 - 1}, False),
    ("POST perform-segue", {"identifier": text(60_000)}, False),
    ("POST tap", {"title": text(60_000)}, False),
    ("POST tap", {"place": "row", "index": 0}, True),
    ("POST show", {"scene": "titles"}, True),
    ("POST unwind", {"action": text(60_000)}, True),
    ("POST set-flags", {"flags": {}}, True),
    ("POST set-flags", {"flags": {f"f{i}": True for i in range(100)}}, False),
    ("POST batch", {"operations": [{"present": {"scene": "titles"}}] * 19}, True),
    ("POST batch", {"operations": [{"push": {"scene": "titles"}}] * 900}, True),
    ("POST batch", {"operations": [{}] * 1000}, False),
    ("POST batch", {"operations": [{"x": {}}] * 1000}, False),
    ("POST batch", {"operations": [1] * 30_000}, False),
    # Each of them looks for the top from the root up.
    ("POST batch", {"operations": [{"pop-to": {"viewController": "vc1000"}}] * 1000}, None),
    ("POST sign-up", {"username": text(60), "password": text(256)}, False),
    ("POST log-in", {"username": text(30_000), "password": text(30_000)}, False),
    ("POST log-out", {}, True),
]

READS = ["", "view-controllers", "layers", "screen?limit=1000", "events?after=0&limit=1000",
         "history?after=0&limit=1000", "flow", "?revision=1", "screen?revision=1&limit=1000",
         "changes?messages=1&seconds=1"]

PUBLIC = [
    "/livez", "/readyz", "/metrics", "/problems/invalid-body", "/openapi.yaml", "/", "/inspector",
    "/inspector/main.js", "/inspector/ways/cover",
    "/v1/storyboard", "/v1/catalog/authors?limit=1000", "/v1/catalog/authors/charles-dickens",
    "/v1/catalog/authors/gustave-flaubert/books/madame-bovary",
    "/v1/catalog/authors/rudyard-kipling/books/puck-of-pooks-hill/cover", "/v1/images/none",
]

MALFORMED = [b"[" * 60_000, b'{"a":' * 10_000, b'"' + b"\\u0001" * 10_000, b"\x00" * 60_000,
             json.dumps({"a": "b" * 60_000}).encode()]
