"""What the clients of one session saw, held to a model of its stack: is it linearizable?

The session's log gives the order of its changes. Each client adds what it saw: when it sent a
change, when the response came, and what that said. A change whose response was lost is

- sent again until it is answered, if it has a key: it happens exactly once;
- never sent again, if it has none: it has happened once or not at all.

`check` accepts a history if one order explains it, and no other history.
"""

import bisect
import itertools
import math
import threading
import time

from service import GONE, new_key

OPERATIONS = {"push": 12, "pop": 3, "pop-to-root": 4}


class Change:
    """A change that one client sends to one session."""

    def __init__(self, session, generator, numbers):
        self.session, self.number = session, str(next(numbers))
        self.operation = generator.choices(list(OPERATIONS), OPERATIONS.values())[0]
        self.key = new_key() if generator.random() < 0.5 else None
        self.sent, self.ended, self.response, self.is_replayed = None, math.inf, None, False

    @property
    def body(self):
        if self.operation == "push":
            return {"scene": "page", "parameters": {"n": self.number}}
        return {}

    @property
    def name(self):
        return f"change-{self.number}"

    @property
    def is_lost(self):
        return self.response is None

    def begin(self):
        if self.sent is None:
            self.sent = time.monotonic()

    def end(self, response, is_replayed):
        self.ended, self.response, self.is_replayed = time.monotonic(), response, is_replayed

    def send(self, client):
        """Raises one of GONE if the response is lost."""
        path, token = self.session
        self.begin()
        status, response = client.call("POST", f"{path}/{self.operation}", self.body, token, self.key, self.name)
        assert status == 200, (status, response)
        self.end(response, client.is_replayed)

    def repeat(self, client):
        """Sends an answered change with a key again: it must not happen a second time."""
        path, token = self.session
        status, response = client.call("POST", f"{path}/{self.operation}", self.body, token, self.key)
        assert status == 200 and client.is_replayed, f"not replayed: {status} {response}"
        for member in ("changed", "events", "transition", "popped"):
            assert response[member] == self.response[member], f"another response: {response}"


class Read:
    """A session as a client saw it."""

    def __init__(self, client, session):
        path, token = session
        self.session, self.sent = session, time.monotonic()
        status, self.state = client.call("GET", path, None, token)
        assert status == 200, (status, self.state)
        self.ended = time.monotonic()


class History:
    """Everything that the clients of all sessions saw. Safe for many threads."""

    def __init__(self):
        self.lock, self.numbers = threading.Condition(), itertools.count(1)
        self.changes, self.reads, self.pending, self.failures = [], [], {}, []

    def play(self, client, name, session, generator):
        """Changes and reads a session until the service goes away. A client that comes back under
        its name first sends the change again that has a key and no response."""
        try:
            while True:
                if name not in self.pending and generator.random() < 0.25:
                    self.read(client, session)
                    continue
                change = self.next_change(name, session, generator)
                change.send(client)
                self.note_response(name)
        except GONE:
            self.note_loss(name)
        except AssertionError as failure:
            self.failures.append(failure)

    def next_change(self, name, session, generator):
        with self.lock:
            if name not in self.pending:
                self.pending[name] = Change(session, generator, self.numbers)
            return self.pending[name]

    def note_response(self, name):
        """The change of a client was answered."""
        with self.lock:
            self.changes.append(self.pending.pop(name))
            self.lock.notify_all()

    def wait(self, count):
        """Returns when so many changes more were answered, or after half a minute."""
        with self.lock:
            count += len(self.changes)
            self.lock.wait_for(lambda: len(self.changes) >= count or self.failures, timeout=30)

    def note_refusal(self, name):
        """The service said that it did not make the change of a client."""
        with self.lock:
            self.pending.pop(name)

    def note_loss(self, name):
        """The response to a client is lost. A change without a key is not sent again."""
        with self.lock:
            change = self.pending.get(name)
            if change is None:
                return
            if change.sent is None:
                self.pending.pop(name)
            elif not change.key:
                self.changes.append(self.pending.pop(name))

    def note_end(self):
        """The service has ended: what was lost until now can happen no more."""
        now = time.monotonic()
        for change in self.changes:
            if change.is_lost:
                change.ended = min(change.ended, now)

    def read(self, client, session):
        read = Read(client, session)
        with self.lock:
            self.reads.append(read)

    def finish(self, client):
        """Sends what has a key and no response, so that each of these has happened once."""
        for name, change in list(self.pending.items()):
            change.send(client)
            self.note_response(name)

    @property
    def answered(self):
        return [change for change in self.changes if not change.is_lost]

    @property
    def lost(self):
        return [change for change in self.changes if change.is_lost]

    def repeat(self, client, generator, count=100):
        """Sends some of the answered changes with a key again."""
        keyed = [change for change in self.answered if change.key]
        for change in generator.sample(keyed, min(count, len(keyed))):
            change.repeat(client)

    def check(self, client, session):
        """Raises AssertionError where the history of a session is not linearizable."""
        assert not self.failures, self.failures[:3]
        self.read(client, session)
        log = read_log(client, session)
        check(log, [change for change in self.changes if change.session == session],
              [read for read in self.reads if read.session == session])


    def check_journal(self, client, session):
        """Raises AssertionError unless the history that the service keeps has exactly the changes."""
        changes = {change.name: change for change in self.changes if change.session == session}
        made = {change.response["events"][0]["revision"]: name for name, change in changes.items()
                if not change.is_lost and change.response["changed"]}
        journal = read_journal(client, session)
        last = client.call("GET", session[0], None, session[1])[1]["revision"]
        assert [entry["revision"] for entry in journal] == list(range(2, last + 1)), "the history has a gap"
        names = [entry["requestId"] for entry in journal]
        assert len(set(names)) == len(names), "a change is in the history twice"
        for entry in journal:
            change = changes.get(entry["requestId"])
            assert change, f"nobody has sent {entry}"
            assert entry["operation"] == {change.operation: change.body}, entry
            revision = entry["revision"]
            assert made.get(revision, change.name) == change.name, f"revision {revision} is {entry}"
            assert change.is_lost or made.get(revision) == change.name, f"{change.name} made no change"
        return len(journal)


def read_journal(client, session):
    path, token = session
    after, journal = 0, []
    while after is not None:
        status, page = client.call("GET", f"{path}/history?after={after}&limit=1000", None, token)
        assert status == 200, page
        journal += page["items"]
        after = page["next"]
    return journal


def read_log(client, session):
    path, token = session
    after, log = 0, []
    while True:
        status, page = client.call("GET", f"{path}/events?after={after}&limit=1000", None, token)
        assert status == 200, page
        if not page["items"]:
            return log
        log += page["items"]
        after = log[-1]["seq"]


def stacks_of(log):
    """Returns the stack at each revision, and which operations can have led there."""
    assert [event["seq"] for event in log] == list(range(1, len(log) + 1)), "the log has a gap"
    stacks, operations, used = [None], [None], set()
    for revision, group in itertools.groupby(log, lambda event: event["revision"]):
        assert revision == len(stacks), f"revision {revision} follows {len(stacks) - 1} in the log"
        last = list(group)[-1]
        assert last["event"] == "viewDidAppear", f"revision {revision} ends with {last}"
        top, below = last["viewController"], stacks[-1] or []
        if top in below:
            index = below.index(top)
            stacks.append(below[:index + 1])
            operations.append({"pop-to-root"} if index == 0 else set())
            if index == len(below) - 2:
                operations[-1].add("pop")
            assert operations[-1], f"revision {revision}: {below} became {stacks[-1]}"
        else:
            assert top not in used, f"revision {revision} shows {top}, which had been popped"
            used.add(top)
            stacks.append(below + [top])
            operations.append({"push"})
    return stacks, operations


def ids(view_controllers):
    return [view_controller["id"] for view_controller in view_controllers]


class Numbers:
    """Which push made which view controller, as far as responses tell."""

    def __init__(self):
        self.numbers, self.owners = {}, {}

    def note(self, view_controllers):
        for view_controller in view_controllers:
            if (number := view_controller["parameters"].get("n")) is not None:
                id = view_controller["id"]
                assert self.numbers.setdefault(id, number) == number, f"{id} changed its parameters"
                assert self.owners.setdefault(number, id) == id, f"push {number} happened twice"


def check(log, changes, reads):
    stacks, operations = stacks_of(log)
    last = len(stacks) - 1
    numbers, made, seen = Numbers(), {}, []
    events = {revision: list(group)
              for revision, group in itertools.groupby(log, lambda event: event["revision"])}

    def check_state(state, revision):
        assert 1 <= revision <= last, f"revision {revision} was seen, and is not in the log"
        numbers.note(state["viewControllers"])
        found = ids(state["viewControllers"])
        assert found == stacks[revision], f"revision {revision} was seen as {found}"

    # Where each observation stands in the order: at its revision, a read right behind it.
    for read in reads:
        revision = read.state["revision"]
        check_state(read.state, revision)
        seen.append((revision + 0.5, read.sent, read.ended))
    for change in changes:
        if change.is_lost:
            continue
        response = change.response
        session = response.get("session")
        numbers.note(response["popped"])
        if not response["changed"]:
            assert not response["events"] and not response["popped"]
            if session and not change.is_replayed:
                check_state(session, session["revision"])
                assert len(session["viewControllers"]) == 1, "a pop below the root did nothing"
                seen.append((session["revision"] + 0.5, change.sent, change.ended))
            continue
        revision = response["events"][0]["revision"]
        assert 2 <= revision <= last, f"an acknowledged change is lost: revision {revision}"
        assert revision not in made, f"two changes were acknowledged as revision {revision}"
        assert change.operation in operations[revision], \
            f"revision {revision} was acknowledged as {change.operation}"
        assert response["events"] == events[revision], f"revision {revision} had other events"
        made[revision] = change
        before, after = stacks[revision - 1], stacks[revision]
        popped = before[len(after):]
        assert ids(response["popped"]) == popped, f"revision {revision} popped other than {popped}"
        if session:
            # A response that is replayed can come with the session as it is now.
            at = session["revision"]
            assert at >= revision if change.is_replayed else at == revision
            check_state(session, at)
        seen.append((revision, change.sent, change.ended))
    for revision, change in made.items():
        if change.operation == "push":
            found = numbers.numbers.get(stacks[revision][-1], change.number)
            assert found == change.number, f"revision {revision} is push {found}, not {change.number}"
            assert numbers.owners.get(change.number, stacks[revision][-1]) == stacks[revision][-1]
    check_times(seen)
    unexplained = [revision for revision in range(2, last + 1) if revision not in made]
    lost = [change for change in changes if change.is_lost]
    assert all(change.key is None for change in lost), "a change with a key was never answered"
    match(unexplained, lost, stacks, operations, numbers, seen)


def check_times(seen):
    """Nothing ends before something that stands earlier in the order was sent."""
    latest, of_place = -math.inf, -math.inf
    for _, group in itertools.groupby(sorted(seen), lambda item: item[0]):
        for place, sent, ended in group:
            assert ended >= latest, f"place {place}: answered before an earlier change was sent"
            of_place = max(of_place, sent)
        latest = of_place


def match(unexplained, lost, stacks, operations, numbers, seen):
    """Each revision that nobody was told of is a change whose response was lost, each once."""
    seen = sorted(seen)
    places = [place for place, _, _ in seen]
    latest = list(itertools.accumulate((sent for _, sent, _ in seen), max, initial=-math.inf))
    earliest = list(itertools.accumulate(
        (ended for _, _, ended in reversed(seen)), min, initial=math.inf))[::-1]

    def fits(change, revision):
        if change.operation not in operations[revision]:
            return False
        if change.operation == "push":
            top = stacks[revision][-1]
            if (numbers.numbers.get(top, change.number) != change.number
                    or numbers.owners.get(change.number, top) != top):
                return False
        place = bisect.bisect(places, revision)
        return change.ended >= latest[place] and change.sent <= earliest[place]

    taken = {}

    def assign(revision, tried):
        for index, change in enumerate(lost):
            if index not in tried and fits(change, revision):
                tried.add(index)
                if index not in taken or assign(taken[index], tried):
                    taken[index] = revision
                    return True
        return False

    for revision in unexplained:
        assert assign(revision, set()), \
            f"revision {revision} ({'/'.join(operations[revision])}) is no change that was sent"
