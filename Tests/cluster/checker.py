"""Holds what clients were told to what the service promises; see operations.py for the records.

1. lost: an acknowledged change is in the log, once, at its revision, and nothing else is there but changes
   without a response. The log has no gap. A session does not vanish.
2. state: each revision's state follows from the one before.
3. order: a change that was called after another's response has the higher revision.
4. reads: a read shows the newest revision that was acknowledged before its call, or a later one that was
   called before its response, with the state of that revision.
5. revocation: after the response to a revocation nobody finds the session logged in.
6. keys: a key is done once, and all its responses are the same.
7. store: `waypost store check` and `pg_amcheck` find nothing (store.py).
8. history: what the service lists as a session's history has each change once, as it was asked for.

The revision in each response gives the order, so one pass over a session is enough.
"""

import bisect
import collections
import dataclasses
import itertools
import math

from operations import digest

NAMES = {1: "lost", 2: "state", 3: "order", 4: "reads", 5: "revocation", 6: "keys", 7: "store", 8: "history"}
PUSHES = {"push", "chain"}
# The operations as a history names them, where the names differ.
OPERATIONS = {"chain": "push"}


@dataclasses.dataclass(frozen=True)
class Violation:
    property: int
    session: str
    text: str

    def __str__(self):
        return f"{self.property} ({NAMES[self.property]}): session {self.session[:8]}: {self.text}"


def check(records, logs, finals, histories):
    """All violations. `logs` has the events of each session that was not ended, `finals` its last state,
    `histories` its changes, as operations.history_of gives them."""
    by_session = collections.defaultdict(list)
    for record in records:
        by_session[record["session"]].append(record)
    found = check_keys(records) + check_revocations(records)
    for session, own in by_session.items():
        found += check_end(session, own)
        if session in finals:
            found += SessionCheck(session, own, logs[session], finals[session], histories[session]).run()
    # Many reads may see one defect.
    return sorted(set(found), key=lambda violation: (violation.property, violation.session, violation.text))


def returned(record):
    return math.inf if record["returned"] is None else record["returned"]


def check_keys(records):
    answers, found = {}, []
    for record in records:
        if record["op"] != "repeat" and record.get("key") and record["outcome"] == "ok":
            answers[record["key"]] = record
    for record in records:
        if record.get("key") is None:
            continue
        if record["op"] == "repeat":
            if not record["replayed"]:
                found.append(Violation(6, record["session"], f"the key {record['key']} was done twice"))
                continue
            first = answers.get(record["key"], record)
            # A repetition may show a later state of the session, which the check of the reads holds to account.
            if record["answer"] != first["answer"] or "at" not in record and record["whole"] != first["whole"]:
                found.append(Violation(6, record["session"], f"the key {record['key']} has two responses"))
        elif record["outcome"] == "maybe":
            found.append(Violation(6, record["session"], f"the key {record['key']} was never answered"))
    return found


def check_revocations(records):
    revoked, found = {}, []
    for record in records:
        if record["op"] == "revoke" and record["outcome"] == "ok":
            for session in record["sessions"]:
                revoked[session] = min(revoked.get(session, math.inf), record["returned"])
    for record in records:
        after = revoked.get(record["session"], math.inf)
        if record.get("auth") == "loggedIn" and record["called"] > after:
            late = record["called"] - after
            found.append(Violation(5, record["session"], f"logged in {late:.3f} s after the revocation's response"))
    return found


def check_end(session, records):
    ends = [record for record in records if record["op"] == "end"]
    called = min((record["called"] for record in ends), default=math.inf)
    done = min((returned(record) for record in ends if record["outcome"] == "ok"), default=math.inf)
    found = []
    for record in records:
        if record["outcome"] == "gone" and record["op"] != "end" and returned(record) < called:
            found.append(Violation(1, session, f"the session was gone at {record['op']}, and nobody ended it"))
        if record["outcome"] == "ok" and record["op"] != "repeat" and record["called"] > done:
            found.append(Violation(4, session, f"{record['op']} found the session after its end"))
    return found


class SessionCheck:
    """The check of one session that lives to the end."""

    def __init__(self, session, records, log, final, history):
        self.session, self.log, self.history, self.found = session, log, history, []
        self.changes = [record for record in records if "n" in record]
        self.reads = [record for record in records if "n" not in record and "at" in record]
        self.log_reads = [record for record in records if "last_event" in record]
        self.last = final["at"]
        self.streamed = [record["streamed"] for record in records if "streamed" in record]
        self.reads.append(final)
        self.made, self.numbers, self.owners = {}, {}, {}

    def fail(self, property, text):
        self.found.append(Violation(property, self.session, text))

    def run(self):
        self.collect()
        self.walk()
        self.check_states()
        self.check_times()
        self.check_log_reads()
        self.match()
        self.check_history()
        return self.found

    def collect(self):
        """What was acknowledged, by revision, and which change made which view controller."""
        kinds = {record["n"]: record for record in self.changes}
        for record in self.changes + self.reads:
            for id, number in [*record.get("stack", []), *record.get("popped", [])]:
                if number is None:
                    continue
                if self.numbers.setdefault(id, number) != number:
                    self.fail(2, f"{id} is {self.numbers[id]} and {number}")
                if self.owners.setdefault(number, id) != id:
                    self.fail(1, f"change {number} was done twice: {self.owners[number]} and {id}")
                if number not in kinds:
                    self.fail(1, f"{id} has the number {number}, which nobody sent here")
                elif kinds[number]["outcome"] == "refused":
                    self.fail(1, f"change {number} was refused, and was done")
        for record in self.changes:
            if record["outcome"] != "ok" or not record["changed"]:
                continue
            revision = record["made"]
            if not 2 <= revision <= self.last:
                self.fail(1, f"change {record['n']} ({record['op']}) was acknowledged as revision {revision}"
                             f" and is lost: the last one is {self.last}")
            elif revision in self.made:
                self.fail(1, f"changes {self.made[revision]['n']} and {record['n']} both made revision {revision}")
            else:
                self.made[revision] = record

    def walk(self):
        """The state of each revision, and what can have made those that nobody was told of."""
        if [event["seq"] for event in self.log] != list(range(1, len(self.log) + 1)):
            self.fail(1, "the log has a gap, or a number twice")
        groups = {revision: list(group)
                  for revision, group in itertools.groupby(self.log, lambda event: event["revision"])}
        beyond = [revision for revision in groups if revision > self.last]
        if beyond:
            self.fail(1, f"the log has revision {beyond[0]}, and the session ends at {self.last}")
        observed = {record["at"]: record for record in self.changes + self.reads if "mark" in record}
        self.stacks, self.marks, self.kinds = [None, ["vc1"]], [None, "0"], [set(), {"open"}]
        used = {"vc1"}
        for revision in range(2, self.last + 1):
            before, group, record = self.stacks[-1], groups.get(revision), self.made.get(revision)
            if record and group and record.get("events") != [group[0]["seq"], group[-1]["seq"], digest(group)]:
                self.fail(1, f"revision {revision} has other events in the log than in its response")
            if record and bool(group) != ("events" in record):
                self.fail(1, f"revision {revision} has events in its response or in the log, and not in both")
            if record:
                after, mark, kinds = self.follow(revision, record, before)
            elif group:
                after, kinds = self.guess(revision, before, group[-1]["viewController"])
                mark = self.marks[-1]
            else:
                # The mark is known if somebody saw it.
                mark = observed[revision]["mark"] if revision in observed else None
                after, kinds = before, {"patch"}
            new = [id for id in after if id not in before]
            if any(id in used for id in new):
                self.fail(2, f"revision {revision} shows {new}, which had been popped")
            used.update(new)
            self.stacks.append(after)
            self.marks.append(mark)
            self.kinds.append(kinds)

    def follow(self, revision, record, before):
        """The state after an acknowledged change, which must be the one that its response shows."""
        op, n = record["op"], record["n"]
        own = self.owners.get(n)
        after, mark = {
            "pop": lambda: (before[:-1] or before, self.marks[-1]),
            "pop-to-root": lambda: (before[:1], self.marks[-1]),
            "patch": lambda: (before, n),
            "batch": lambda: (before[:1] + [own], self.marks[-1]),
        }.get(op, lambda: (before + [own], self.marks[-1]))()
        if record["at"] == revision:
            shown = [id for id, _ in record["stack"]]
            if shown != after:
                self.fail(2, f"revision {revision} ({op} {n}) shows {shown} after {before}")
                after = shown
            if mark is not None and record["mark"] != mark:
                self.fail(2, f"revision {revision} ({op} {n}) shows the title {record['mark']}, not {mark}")
            mark = record["mark"]
        elif record["at"] < revision:
            self.fail(2, f"revision {revision} ({op} {n}) came with a session at {record['at']}")
        if op == "chain" and record["if_match"] != revision - 1:
            self.fail(2, f"revision {revision} was made by a change that asked for {record['if_match']}")
        return after, mark, {op}

    def guess(self, revision, before, top):
        """The state after a change that nobody was told of, and what it can have been."""
        if top not in before:
            return before + [top], PUSHES
        index = before.index(top)
        kinds = {"pop-to-root"} if index == 0 else set()
        if index == len(before) - 2:
            kinds.add("pop")
        if not kinds:
            self.fail(2, f"revision {revision} shows {top} after {before}")
        return before[:index + 1], kinds

    def check_states(self):
        """What was seen of a revision is what that revision was."""
        for record in self.reads + [record for record in self.changes if record["outcome"] == "ok"]:
            revision, is_read = record["at"], "n" not in record
            if not 1 <= revision <= self.last:
                if is_read:
                    self.fail(4, f"a read showed revision {revision}, and the last one is {self.last}")
                continue
            if "stack" not in record:
                continue
            shown = [id for id, _ in record["stack"]]
            if shown != self.stacks[revision]:
                self.fail(4 if is_read else 2, f"{record['op']} showed revision {revision} as {shown},"
                                               f" and it is {self.stacks[revision]}")
            mark = self.marks[revision]
            if mark is not None and record["mark"] != mark:
                self.fail(4 if is_read else 2, f"{record['op']} showed revision {revision} with the title"
                                               f" {record['mark']}, and it has {mark}")

    def check_times(self):
        """Nothing has a response before something that stands earlier in the order was called."""
        seen = []
        for record in self.changes:
            if record["outcome"] != "ok":
                continue
            if record["changed"]:
                seen.append((record["made"], record["called"], record["returned"], record))
                # A replayed response can come with the session as it is now.
                if record["at"] != record["made"]:
                    seen.append((record["at"] + 0.5, record["sent"], record["returned"], record))
            else:
                seen.append((record["at"] + 0.5, record["called"], record["returned"], record))
        for record in self.reads:
            seen.append((record["at"] + 0.5, record["called"], record["returned"], record))
        self.seen = sorted(seen, key=lambda item: item[:3])
        latest, newest = -math.inf, None
        for place, group in itertools.groupby(self.seen, lambda item: item[0]):
            group = list(group)
            for _, _, end, record in group:
                if end < latest:
                    are_changes = "n" in newest[3] and "n" in record
                    self.fail(3 if are_changes else 4,
                              f"{newest[3]['op']} at place {newest[0]} was called {latest - end:.3f} s after"
                              f" the response of {record['op']} at place {place}")
            for item in group:
                if item[1] > latest:
                    latest, newest = item[1], item

    def check_log_reads(self):
        """The log that a client reads has all events that were acknowledged before."""
        ends = sorted((record["returned"], record["events"][1]) for record in self.made.values() if "events" in record)
        highest = list(itertools.accumulate((event for _, event in ends), max))
        times = [time for time, _ in ends]
        for record in self.log_reads:
            known = bisect.bisect_left(times, record["called"])
            if known and record["last_event"] < highest[known - 1]:
                self.fail(4, f"the log ended with {record['last_event']} after {highest[known - 1]} was acknowledged")
            if record["last_event"] > len(self.log):
                self.fail(4, f"the log ended with {record['last_event']}, and has {len(self.log)} events")

        for first, last, found in self.streamed:
            if digest(self.log[first - 1:last]) != found:
                self.fail(4, f"a stream showed other events {first} to {last} than the log has")

    def match(self):
        """Each revision that nobody was told of is a change without a response, and each of these is one at most."""
        lost = [record for record in self.changes if record["outcome"] == "maybe"]
        places = [item[0] for item in self.seen]
        earliest = list(itertools.accumulate((item[2] for item in reversed(self.seen)), min, initial=math.inf))[::-1]

        def fits(record, revision):
            if record["op"] not in self.kinds[revision] and not (
                    record["op"] == "batch" and self.kinds[revision] == PUSHES):
                return False
            if record["op"] == "chain" and record["if_match"] != revision - 1:
                return False
            if record["op"] in PUSHES or record["op"] == "batch":
                top = self.stacks[revision][-1]
                if self.numbers.get(top, record["n"]) != record["n"] or self.owners.get(record["n"], top) != top:
                    return False
            if record["op"] == "patch" and self.marks[revision] not in (None, record["n"]):
                return False
            return record["called"] <= earliest[bisect.bisect(places, revision)]

        taken = {}

        def assign(revision, tried):
            for index, record in enumerate(lost):
                if index not in tried and fits(record, revision):
                    tried.add(index)
                    if index not in taken or assign(taken[index], tried):
                        taken[index] = revision
                        return True
            return False

        for revision in range(2, self.last + 1):
            if revision not in self.made and not assign(revision, set()):
                self.fail(1, f"revision {revision} ({'/'.join(sorted(self.kinds[revision]))}) is no change that was"
                             " sent, or a change that was done twice")

    def check_history(self):
        """The history has each revision once, with the change that made it."""
        revisions = [entry["revision"] for entry in self.history]
        if revisions != list(range(2, self.last + 1)):
            missing = sorted(set(range(2, self.last + 1)) - set(revisions))
            return self.fail(8, f"the history has {len(revisions)} changes up to revision {self.last}, without"
                                f" {missing[:5]}")
        changes = {record["n"]: record for record in self.changes}
        for entry in self.history:
            revision, op, n = entry["revision"], entry["op"], entry["n"]
            made = self.made.get(revision)
            if made and (op != OPERATIONS.get(made["op"], made["op"]) or n not in (None, made["n"])):
                self.fail(8, f"revision {revision} is {made['op']} {made['n']}, and the history has {op} {n}")
            elif n is not None and not made and changes.get(n, {}).get("outcome") != "maybe":
                self.fail(8, f"the history has {op} {n} at revision {revision}, which nobody sent or which has"
                             " another one")
