"""What a request of each route may cost, if it is at most 1 KiB long: one row for each route and each way to use it.

`make test` holds the bytes, `make hunt` and `make counts` hold the processor time as well. A route of openapi.yaml
without a row fails all of them. A row that departs from the defaults says why.
"""

import re
from dataclasses import dataclass

from inputs import PASSWORD

# Bytes answered and bytes kept for a byte that was sent, and processor time of one request in milliseconds.
ANSWERED, KEPT, MILLISECONDS = 16, 4, 5
# What the first request after a start may take more: it loads the largest session.
LOADING = 5
# An answer of a page of memory is small, however short the request is.
SMALL_ANSWER = 4096
# One answer shows a session as large as the limits allow, in `popped` and in `session`: 1,000 view controllers,
# their texts (--max-session-size), and the outcome.
LARGEST_SESSION = 262_144 + 1000 * 300
# Passwords are meant to cost: argon2id with 64 MiB and 2 passes takes 60 to 90 ms.
HASH = 150
HASHED = "argon2id is slow on purpose"
SHOWS = "shows the session, whose size the client has chosen"
DOCUMENT = "the operator's document, whatever is asked"


@dataclass(frozen=True)
class Row:
    """
    - route: as openapi.yaml has it.
    - body, query: of the request. `{…}` is replaced in them and in the path (see `Subject.values`).
    - prepare, undo: requests before and after, which are not measured, so that the row can be repeated.
    - access: whose secret is sent: of the `session`, of the `account`, or none.
    - subject: what a request works on. `shared`: one session, again and again. `fork`: each request has a fork of its
      own where the session is large, because the request makes it small. `own`: each has a fork of its own everywhere.
      `user` and `stranger`: each has a new session, of a new account and of nobody.
    - succeeds: whether it is answered with 2xx; None: that does not matter.
    - answered: the most bytes of an answer; None: ANSWERED for each byte that was sent, or SMALL_ANSWER.
    - large_answered: the same where the session is large.
    - kept: bytes in the store for each byte that was sent; None: not held, for the reason in `why`.
    - milliseconds: processor time, with the release build, of a session in memory.
    - why: the reason for each departure.
    """
    route: str
    body: object = None
    query: str = ""
    prepare: tuple = ()
    undo: tuple = ()
    access: str = "session"
    subject: str = "shared"
    succeeds: bool = True
    answered: int = None
    large_answered: int = None
    kept: float = KEPT
    milliseconds: float = MILLISECONDS
    why: str = ""

    def __post_init__(self):
        departs = (self.answered or self.large_answered or self.kept != KEPT
                   or self.milliseconds != MILLISECONDS)
        if bool(departs) != bool(self.why):
            raise SystemExit(f"{self.route}: a row departs from the defaults exactly if it says why")

    @property
    def name(self):
        # Three rows differ in the body alone.
        member = f" with {next(iter(self.body))}" if self.route == "POST /v1/sessions" and self.body else ""
        return self.route + self.query + member

    def may_answer(self, sent, is_large):
        limit = (self.large_answered if is_large else None) or self.answered
        return limit or max(ANSWERED * sent, SMALL_ANSWER)


def public(route, **more):
    return Row(route, access=None, subject="none", **more)


def document(route):
    return public(route, succeeds=None, answered=1 << 20, why=DOCUMENT)


def account(route, body=None, **more):
    return Row(route, body, access="account", **more)


def change(route, body=None, **more):
    """A change of a session. Its answer shows the session."""
    method, path = route.split()
    more = {"large_answered": 2 * LARGEST_SESSION, "why": SHOWS} | more
    return Row(f"{method} /v1/sessions/{{session}}/{path}", body, **more)


def clearing(route, body=None, **more):
    """A change that takes up to 999 view controllers off the stack, stores the rest and lists what has left."""
    return change(route, body, milliseconds=10, why=SHOWS + " It also lists all view controllers that have left",
                  **more)


def read(path="", **more):
    return Row("GET /v1/sessions/{session}" + path, **more)


PUSH = ("POST", "push", {"scene": "titles"})
POP = ("POST", "pop", None)
PRESENT = ("POST", "present", {"scene": "titles"})
DISMISS = ("POST", "dismiss", None)

ROWS = [
    public("GET /livez"), public("GET /readyz"), public("GET /problems/{code}"), public("GET /", succeeds=None),
    document("GET /metrics"), document("GET /openapi.yaml"), document("GET /inspector"),
    document("GET /inspector/{file}"), public("GET /inspector/ways/{scene}"), document("GET /v1/storyboard"),
    document("GET /v1/catalog/authors"), document("GET /v1/catalog/authors/{author}"),
    document("GET /v1/catalog/authors/{author}/books/{book}"),
    document("GET /v1/catalog/authors/{author}/books/{book}/cover"), document("GET /v1/images/{image}"),

    public("POST /v1/sessions", kept=12,
           why="a new session keeps 1 KB for a request of 100 bytes; --max-new-sessions-per-address counts it"),
    Row("POST /v1/sessions", {"credential": "{credential}"}, access=None, kept=12,
        why="a new session, as above"),
    Row("POST /v1/sessions", {"fork": {"session": "{session}"}}, kept=None, large_answered=2 * LARGEST_SESSION,
        why="keeps what it copies, and --max-new-sessions-per-address counts the bytes: see `forks` in driver.py. It " + SHOWS),
    Row("PATCH /v1/sessions/{session}", {"name": "x" * 100}, large_answered=LARGEST_SESSION, why=SHOWS),
    Row("DELETE /v1/sessions/{session}", subject="own", kept=None, why="keeps less than before"),

    read(large_answered=LARGEST_SESSION, why=SHOWS),
    read(query="?revision={middle}", large_answered=LARGEST_SESSION, why=SHOWS),
    read("/view-controllers", large_answered=LARGEST_SESSION, why=SHOWS),
    read("/layers", large_answered=LARGEST_SESSION, why=SHOWS),
    read("/screen", query="?limit=1000", answered=16_384, why="a screen has at most 1,000 rows"),
    read("/screen", query="?revision={middle}", answered=16_384, why="a screen, as above"),
    read("/events", query="?after={event}&limit=1000", answered=320_000, why="at most 1,000 events of 160 bytes, as items and as events"),
    read("/history", answered=LARGEST_SESSION, milliseconds=9,
         why="100 changes are read with their states, in a queue of their own; it has the bodies that the client has sent, "
             "which the log holds twice: in the requests and in the effects"),
    read("/history", query="?limit=1000", answered=LARGEST_SESSION, milliseconds=20,
         why="1,000 changes are read with their states, in a queue of their own; it has the bodies that the client has sent"),
    read("/flow", answered=4 << 20, milliseconds=100,
         why="2,000 changes are repeated, in a queue of their own; it has the bodies that the client has sent"),
    read("/changes", query="?messages=1&seconds=1", answered=16_384, large_answered=2 * LARGEST_SESSION, why=SHOWS),

    change("POST push", {"scene": "titles"}, undo=(POP,)),
    change("POST pop", undo=(PUSH,)),
    change("POST pop-to", {"viewController": "{top}"}, prepare=(PUSH,)),
    clearing("POST pop-to-root", prepare=(PUSH,), subject="fork"),
    change("POST back", prepare=(PUSH,)),
    change("POST select-row", {"row": 0}, undo=(POP,)),
    change("POST select-segment", {"index": 1}, prepare=(("POST", "pop-to-root", None),), subject="fork",
           undo=(("POST", "select-segment", {"index": 0}),)),
    clearing("POST set-root-view-controller", {"scene": "titles"}, subject="fork"),
    change("POST set-view-controllers", {"viewControllers": [{"scene": "titles"}] * 20}, subject="fork",
           answered=16_384),
    change("PATCH view-controllers/{viewController}", {"title": "x" * 500}),
    clearing("POST open", {"path": "/authors/gustave-flaubert/books/madame-bovary"}, subject="fork"),
    change("POST present", {"scene": "titles"}, undo=(DISMISS,)),
    change("POST dismiss", prepare=(PRESENT,)),
    change("POST swipe-back", {"completed": False}, prepare=(PUSH,), undo=(POP,)),
    change("POST swipe-down", prepare=(PRESENT,), undo=(DISMISS,), succeeds=None),
    # The Library has no tabs, no such segue and no such button.
    change("POST select-tab", {"index": 1}, succeeds=None),
    change("POST tap-tab", {"index": 1}, succeeds=None),
    change("POST perform-segue", {"identifier": "none"}, succeeds=None),
    change("POST tap", {"place": "row", "index": 0}, undo=(POP,)),
    change("POST show", {"scene": "titles"}, undo=(POP,)),
    change("POST unwind", {"action": "none"}),
    change("POST set-flags", {"flags": {}}),
    change("POST batch", {"operations": [{"push": {"scene": "titles"}}, {"pop": {}}] * 15},
           answered=16_384, why="the outcomes of 30 operations; it " + SHOWS),
    change("POST sign-up", {"username": "{new}", "password": PASSWORD}, subject="stranger", milliseconds=HASH,
           kept=None, why=HASHED + "; each sign-up has a new session and --max-new-accounts-per-address"),
    change("POST log-in", {"username": "{user}", "password": PASSWORD}, subject="stranger", milliseconds=HASH,
           kept=None, why=HASHED + "; each log-in has a new session"),
    change("POST log-out", subject="user", kept=None, milliseconds=10, why="each has a new account; it " + SHOWS),

    account("GET /v1/account"),
    account("GET /v1/account/sessions", query="?limit=1000", answered=1001 * 4096,
            why="at most 1,000 sessions with a title of 4 KB"),
    account("GET /v1/account/credentials", query="?limit=1000", answered=1000 * 200,
            why="at most 1,000 credentials of 200 bytes"),
    account("DELETE /v1/account/credentials", query="?except=current"),
    account("DELETE /v1/account/credentials/{credential}", succeeds=False),
    account("GET /v1/account/sessions/{session}"),
    account("DELETE /v1/account/sessions/{session}", subject="own", kept=None, why="keeps less than before"),
    account("GET /v1/account/sessions/{session}/tokens", query="?limit=1000"),
    account("POST /v1/account/sessions/{session}/tokens", {"name": "x" * 100}, undo=("token",)),
    account("DELETE /v1/account/sessions/{session}/tokens/{token}", prepare=("token",)),
    Row("PUT /v1/account/password", {"oldPassword": PASSWORD, "newPassword": PASSWORD}, access="account",
        milliseconds=2 * HASH, why="two hashes: " + HASHED),
    Row("POST /v1/account/delete", {"password": PASSWORD}, access="account", subject="user", kept=None,
        milliseconds=HASH, why=HASHED + "; each has a new account"),
]


def routes(description):
    """The routes of an openapi.yaml."""
    path, found = None, []
    for line in description.splitlines():
        if match := re.match(r"  (/\S*):$", line):
            path = match[1]
        elif (match := re.match(r"    (get|post|put|patch|delete):$", line)) and path:
            found.append(f"{match[1].upper()} {path}")
        elif line.startswith("components:"):
            break
    return found


def check(description):
    """Ends the program if a route has no row, or a row no route."""
    described, known = set(routes(description)), {row.route for row in ROWS}
    if missing := sorted(described - known):
        raise SystemExit("no row in Tests/budgets/table.py for: " + ", ".join(missing))
    if gone := sorted(known - described):
        raise SystemExit("rows of Tests/budgets/table.py without a route: " + ", ".join(gone))
