"""Sends what table.py has to a service, and measures what it costs: with a small session, with the largest, with one
whose history is as long as it may be, and with sessions that the service has to load."""

import json
import os
import uuid
from collections import namedtuple

import table
from inputs import Session
from process import Service
from storefile import live_bytes
from table import ROWS

# The changes in a long history. All of them are made by requests, so it is less than the default of the option.
HISTORY = 2000
ROUNDS = 3
# How much more processor time than table.py says is an excess. Busy neighbours make the same work take up to 1.3 times
# as long; a debug build takes 8 to 16 times as long as a release build, so it shows only what is wrong by orders of
# magnitude. `make hunt` has a debug build, `make counts` a release build.
FACTORS = {"release": 1.5, "debug": 20}
# What a new session may keep (the row of POST /v1/sessions), and how many an address may open
# (--max-new-sessions-per-address).
NEW_SESSION, SESSION_LIMIT = 1200, 6000
SMALL, LOADED = "small session", "after a restart"
# Pages are filled to some part, in each of the tables and indexes.
SLACK = 32_768
# What a session's stored responses take at most besides 4 times its requests (docs/http.md).
RESPONSES = 1_048_576
PLACES = {
    "{code}": "invalid-body", "{file}": "main.js", "{scene}": "cover", "{author}": "charles-dickens", "{image}": "none",
    "/charles-dickens/books/{book}": "/gustave-flaubert/books/madame-bovary",
    "/gustave-flaubert/books/madame-bovary/cover": "/rudyard-kipling/books/puck-of-pooks-hill/cover",
    "{credential}": "0" * 32,
}
Cost = namedtuple("Cost", "row fixture sent answered kept milliseconds repeats")


class Subject:
    """What a row works on: a session, the account it is logged in to, and the values of the placeholders."""

    def __init__(self, service, path, headers, credential=None, user=None, top="vc2", middle=1,
                 event=0):
        self.service, self.path, self.headers = service, path, headers
        self.credential, self.user, self.top = credential, user, top
        self.middle, self.event = middle, event
        self.token = None

    @classmethod
    def of(cls, session, **more):
        credential = getattr(session, "credential", None)
        return cls(session.service, session.path, session.headers, credential, getattr(session, "name", None), **more)

    def values(self):
        return {"session": self.path.rsplit("/", 1)[-1], "viewController": "vc2", "top": self.top,
                "middle": str(self.middle), "event": str(self.event),
                "token": self.token or "", "user": self.user or "", "new": "n" + uuid.uuid4().hex[:20],
                "credential": self.credential[0].split()[-1] if self.credential else ""}

    def fill(self, text):
        for name, value in self.values().items():
            text = text.replace("{" + name + "}", value)
        return text

    def find_top(self):
        """Looks which view controller is on top."""
        answer, _, _ = self.service.send("GET", f"{self.path}/view-controllers", None, self.headers)
        self.top = answer.json["viewControllers"][-1]["id"]

    def fork(self):
        answer, _, _ = self.service.send("POST", "/v1/sessions", {"fork": {"session": self.values()["session"]}},
                                         self.headers)
        expect(answer, "fork")
        opened = Session.opened(self.service, answer)
        return Subject(self.service, opened.path, opened.headers, self.credential, self.user, self.top, self.middle)

    def run(self, step):
        """Sends one of a row's requests before or after the measured one. Returns how many bytes were sent."""
        if step == "token":
            path = self.path.replace("/v1", "/v1/account") + "/tokens"
            if self.token:
                answer, sent, _ = self.service.send("DELETE", f"{path}/{self.token}", None, self.credential)
                self.token = None
            else:
                answer, sent, _ = self.service.send("POST", path, {"name": "x"}, self.credential)
                self.token = answer.json["id"]
        else:
            method, path, body = step
            answer, sent, _ = self.service.send(method, f"{self.path}/{path}", body,
                                                self.headers + ["Prefer: return=minimal"])
        expect(answer, step)
        return sent


def expect(answer, what):
    if answer.status >= 400:
        raise SystemExit(f"{what}: {answer.status} {answer.content[:300]!r}")


def has_key(row):
    """Whether the row's requests have an Idempotency-Key."""
    return not row.route.startswith("GET") and row.access != "account"


def request(row, subject):
    """The method, the path, the body and the header fields."""
    method, path = row.route.split()
    for place, value in PLACES.items():
        path = path.replace(place, value)
    path = subject.fill(path + row.query)
    body = None if row.body is None else json.loads(subject.fill(json.dumps(row.body)))
    headers = {"session": subject.headers, "account": subject.credential, None: []}[row.access]
    if has_key(row):
        headers = headers + [f"Idempotency-Key: {uuid.uuid4()}"]
    return method, path, body, headers


def send(row, subject):
    """Sends a row's request. Returns its cost in seconds, the bytes sent and the bytes answered."""
    service, parts = subject.service, request(row, subject)
    before = service.cpu()
    answer, sent, answered = service.send(*parts)
    seconds = service.cpu() - before
    if row.succeeds is not None and (200 <= answer.status < 300) != row.succeeds:
        raise SystemExit(f"{row.name}: {answer.status} {answer.content[:300]!r}")
    if sent > 1024 + sum(map(len, parts[3])):
        raise SystemExit(f"{row.name}: {sent} bytes are no request of an honest size")
    if row.route.endswith("/tokens") and parts[0] == "POST":
        subject.token = answer.json["id"]
    elif parts[0] == "DELETE":
        subject.token = None
    elif row.route == "PUT /v1/account/password" and "credential" in answer.content.decode(errors="replace"):
        subject.credential = [f"Authorization: Bearer {answer.json['credential']}"]
    return seconds, sent, answered


def once(row, subject):
    """A row's request with those before and after it. Returns as `send`, and all bytes sent."""
    sent_around = sum(map(subject.run, row.prepare))
    seconds, sent, answered = send(row, subject)
    return seconds, sent, answered, sent_around + sent + sum(map(subject.run, row.undo))


class Fixture:
    """A service with a store, and the session that the rows work on."""

    def __init__(self, binary, folder, name, *options):
        self.binary, self.name, self.options = binary, name, options
        self.store = os.path.join(folder, f"{name.replace(' ', '-')}.sqlite")
        self.start()
        self.is_large = name != SMALL

    def start(self):
        # To wait for the disk takes no processor time, but a minute.
        self.service = Service(self.binary, self.store, "--durability", "relaxed", *self.options)

    def stop(self):
        self.service.stop()

    def restart(self):
        self.service.stop()
        self.start()

    def prototype(self, answered=True):
        session = Session(self.service)
        if self.is_large:
            session.fill(answered)
        else:
            session.send("POST", "push", {"scene": "titles"})
        self.subject = Subject.of(session)
        self.subject.find_top()

    def own(self, row):
        """What one request of a row works on."""
        if row.subject in ("stranger", "user") or row.subject == "none":
            session = Session(self.service, user=row.subject == "user")
            if self.is_large:
                session.fill()
            subject = Subject.of(session)
            if row.subject == "stranger":
                subject.user = self.subject.user
            return subject
        return self.subject.fork()

    def measure(self, row, repeats):
        """The row's cost: the largest answer, what is kept for a byte sent, and the processor time of a request,
        which is the mean of the round with the smallest mean. What else the machine does makes processor time
        longer, never shorter; and a mean has what the service does only once in some requests."""
        each = row.subject in ("own", "stranger", "user") or row.subject == "fork" and self.is_large
        # Reads leave the session as it is. The others would change what the next rows work on.
        shared = None if each else self.subject if row.route.startswith("GET") else self.own(row)
        before, best, most, total = live_bytes(self.store), None, (0, 0), 0
        for _ in range(ROUNDS):
            spent = 0
            for _ in range(repeats):
                subject = shared or self.own(row)
                seconds, sent, answered, all_sent = once(row, subject)
                spent, total = spent + seconds, total + all_sent
                most = max(most, (answered, sent))
            best = spent / repeats if best is None else min(best, spent / repeats)
        kept = None if each or row.kept is None else (live_bytes(self.store) - before, total)
        return Cost(row, self.name, most[1], most[0], kept, 1000 * best, ROUNDS * repeats)

    def measure_loaded(self, row, subjects):
        """The cost of requests of which each is the first that uses its subject."""
        costs = [send(row, subject) for subject in subjects]
        answered, sent = max((cost[2], cost[1]) for cost in costs)
        return Cost(row, self.name, sent, answered, None, 1000 * min(cost[0] for cost in costs), len(costs))


def is_slow(row):
    """Whether a request takes long, or needs an account of its own."""
    return row.milliseconds > 100 or "seconds=" in row.query or row.subject == "user"


def small(binary, folder):
    fixture = Fixture(binary, folder, SMALL)
    fixture.prototype()
    for row in ROWS:
        yield fixture.measure(row, 1 if is_slow(row) else 20)
    fixture.stop()


def largest(binary, folder):
    fixture = Fixture(binary, folder, "largest session")
    fixture.prototype()
    for row in ROWS:
        if row.subject not in ("none", "stranger"):
            yield fixture.measure(row, 1 if is_slow(row) else 2)
    fixture.stop()


def long(binary, folder):
    """Each change is at full depth, and the session itself is used: a fork has no history. The rows that read come
    first, so the history still has its start, without which it cannot be exported as a flow."""
    fixture = Fixture(binary, folder, "long history", "--history-retention", str(HISTORY + 10))
    session = Session(fixture.service)
    session.send("POST", "batch", {"operations": [{"push": {"scene": "titles"}}] * 997})
    session.headers.append("Prefer: return=minimal")
    for number in range(HISTORY):
        session.send("POST", *(("push", {"scene": "titles"}) if number % 2 == 0 else ("pop",)))
    session.headers.pop()
    fixture.subject = Subject.of(session, middle=HISTORY // 2 + 90, event=3 * HISTORY)
    fixture.subject.fork = lambda: fixture.subject
    for row in ROWS:
        if row.subject == "shared" and row.access:
            fixture.subject.find_top()
            yield fixture.measure(row, 1 if is_slow(row) else 2)
    fixture.stop()


def loaded(binary, folder):
    """Each request is the first that uses its session since the start of the service."""
    fixture = Fixture(binary, folder, LOADED)
    fixture.prototype()
    # A fork has no start from which a flow could repeat it.
    rows = [row for row in ROWS if row.access == "session" and not row.prepare
            and row.subject not in ("stranger", "user") and not row.route.endswith("/flow")]
    lists = [row for row in ROWS if row.access == "account" and row.route.startswith("GET")]
    forks = [[fixture.subject.fork() for _ in range(ROUNDS)] for _ in rows]
    fixture.restart()
    for subject in [fixture.subject, *sum(forks, [])]:
        subject.service = fixture.service
    for row in lists:
        yield fixture.measure_loaded(row, [fixture.subject] * ROUNDS)
    for row, subjects in zip(rows, forks):
        yield fixture.measure_loaded(row, subjects)
    fixture.stop()


def excesses(cost, build):
    """What a cost exceeds, as texts. `build`: debug or release; None: the processor time is not held."""
    row, found = cost.row, []
    is_large = cost.fixture != SMALL
    limit = row.may_answer(cost.sent, is_large)
    if cost.answered > limit:
        found.append(f"{cost.answered} bytes are answered to {cost.sent}, at most {limit} may be")
    if cost.kept:
        grown, sent = cost.kept
        # The history of a large session has a complete state now and then.
        limit = row.kept * sent + SLACK + (table.LARGEST_SESSION if is_large else 0)
        if has_key(row):
            limit += RESPONSES
        if grown > limit:
            found.append(f"{grown} bytes are kept for {sent} sent in {cost.repeats} requests, at most {limit} may be")
    milliseconds = row.milliseconds + (table.LOADING if cost.fixture == LOADED else 0)
    if build and cost.milliseconds > (limit := milliseconds * FACTORS[build]):
        found.append(f"{cost.milliseconds:.1f} ms of processor time, at most {limit:g} may be ({build} build)")
    return [f"{row.name}, {cost.fixture}: {text}" for text in found]


def forks(binary, folder):
    """What one address can keep by forks of the largest session, until --max-new-sessions-per-address
    refuses them: no more than by
    new sessions. Returns the excess as texts."""
    fixture = Fixture(binary, folder, "largest forks", "--max-new-sessions-per-address", str(SESSION_LIMIT))
    fixture.prototype(answered=False)
    before, made = live_bytes(fixture.store), 0
    fork = next(row for row in ROWS if row.route == "POST /v1/sessions" and "fork" in (row.body or {}))
    while made < 100 and fixture.service.send(*request(fork, fixture.subject))[0].status == 201:
        made += 1
    grown = live_bytes(fixture.store) - before
    fixture.stop()
    if grown > SESSION_LIMIT * NEW_SESSION:
        return [f"{made} forks of the largest session, within --max-new-sessions-per-address {SESSION_LIMIT}: "
                f"{grown} bytes are kept, "
                f"at most {SESSION_LIMIT * NEW_SESSION} may be"]
    return []


def hold(binary, folder, build, note=lambda cost: None):
    """Drives all rows with all fixtures. Returns what exceeds its budget, as texts.
    - note: is called with each cost."""
    service = Service(binary, os.path.join(folder, "description.sqlite"))
    table.check(service.send("GET", "/openapi.yaml")[0].content.decode())
    service.stop()
    found = []
    for fixture in (small, largest, long, loaded):
        for cost in fixture(binary, folder):
            note(cost)
            found += excesses(cost, build)
    return found + forks(binary, folder)
