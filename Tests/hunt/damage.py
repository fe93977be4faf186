"""Damaged stores: the service lives, answers with 2xx, 4xx or 503, and mixes no two sessions; `waypost
store check` ends as documented, and names what the service cannot read."""

import collections
import os
import random
import subprocess
from pathlib import Path

from damages import Plan
from service import PASSWORD, Budget, Client, Crashed, Service, Unanswered, reason
from stores import Original

PART = "damage"
# It takes some seconds to find out which damage of a group it was.
MOST_FINDINGS_PER_TABLE = 3


class Complaint(Exception):
    """
    - rule: that was broken.
    - owner: at whose request; None if at none.
    """

    def __init__(self, rule, text, owner=None):
        super().__init__(f"{rule}: {text}")
        self.rule, self.text, self.owner = rule, text, owner


class Look:
    """One look at one damaged store."""

    def __init__(self, waypost, original, path, damages=()):
        self.waypost, self.original, self.path = waypost, original, path
        self.damages = damages
        self.damaged = {damage.owner for damage in damages}
        self.is_damaged = bool(damages)
        # Whose data the service could not read, and whether that was said of an account.
        self.unreadable, self.has_unreadable_account = set(), False
        self.service = None

    def check(self):
        """Runs `waypost store check`. Returns its status and what it says."""
        report = subprocess.run(
            [self.waypost, "store", "check", "--store", f"sqlite:{self.path}"], capture_output=True,
            text=True, timeout=60, errors="replace", env=os.environ | {"SWIFT_BACKTRACE": "enable=no"})
        if report.returncode not in (0, 1):
            raise Complaint("store check ends with 0 or 1",
                            f"{report.returncode} {reason(report.stderr)}")
        if report.returncode == 1 and not report.stderr.strip():
            raise Complaint("store check names the damage", "it ends with 1 and no word")
        return report.returncode, report.stderr

    def run(self, owners):
        status, text = self.check()
        try:
            self.service = Service(self.waypost, self.path, *self.original.options)
        except Crashed as crash:
            if "in use" in str(crash) or not status:
                raise Complaint("a damaged store is served, or refused", str(crash)) from None
            return
        try:
            self.use(owners)
            # Through the service, which must survive that, too.
            self.check()
            self.service.check_alive()
            self.service.stop()
        except Crashed as crash:
            raise Complaint("the process lives", str(crash)) from None
        finally:
            self.service.kill()
        for owner in self.unreadable:
            if not status or not self.is_named(owner, text):
                raise Complaint("store check names the damage", f"not {owner}: {text[:200]}", owner)
        if self.has_unreadable_account and not status:
            raise Complaint("store check names the damage", "an account or a credential is not read")

    def is_named(self, owner, text):
        """Whether one of an owner's damaged rows is named. In a damaged file, pages may be instead."""
        names = {owner.session[:8], owner.user or owner.session}
        for damage in self.damages:
            if damage.owner is owner:
                names |= {value.hex()[:8] for value in damage.row.values()
                          if isinstance(value, bytes) and len(value) >= 16}
        return not self.is_damaged or any(name in text for name in names)

    def use(self, owners):
        client = Client(self.service, timeout=10)
        for owner in owners:
            try:
                self.use_session(client, owner)
                if owner.user:
                    self.use_account(client, owner)
                self.service.check_alive()
            except Crashed as crash:
                raise Complaint("the process lives", str(crash), owner) from None
            except Unanswered as unanswered:
                raise Complaint("each request is answered", str(unanswered), owner) from None

    def call(self, client, owner, *request):
        answer = client.call(*request)
        if answer.status >= 500 and answer.status != 503:
            raise Complaint("an answer is 2xx, 4xx or 503", f"{request[0]} {request[1]}: {answer}", owner)
        if self.is_sound(owner) and answer.status >= 400:
            raise Complaint("sound data is served", f"{request[0]} {request[1]}: {answer}", owner)
        return answer

    def is_sound(self, owner):
        """Whether it is known that no row of an owner is damaged."""
        return self.is_damaged and not self.damaged & {owner, None}

    def use_session(self, client, owner):
        answer = self.call(client, owner, "GET", owner.path, None, owner.token)
        if answer.status == 503:
            self.unreadable.add(owner)
        if answer.status == 200:
            content = answer.content
            is_own = content["id"] == owner.session and content["auth"]["username"] in (owner.user, None)
            if not is_own or (self.is_sound(owner) and content != owner.content):
                raise Complaint("no session has another's data", str(answer), owner)
        answer = self.call(client, owner, "GET", owner.path + "/events", None, owner.token)
        if answer.status == 503:
            self.unreadable.add(owner)
        if answer.status == 200:
            self.check_events(owner, answer)
        for path, body, fields in owner.keyed:
            self.call(client, owner, "POST", path, body, owner.token, fields)
        scene = "p9" if owner.user else "lp9"
        self.call(client, owner, "POST", owner.path + "/push", {"scene": scene}, owner.token)
        self.call(client, owner, "GET", owner.path, None, owner.token)

    def check_events(self, owner, answer):
        """What a session logged must be of view controllers that it had, whatever the damage."""
        own = {(event["viewController"], event["scene"]) for event in owner.events}
        found = {(event["viewController"], event["scene"]) for event in answer.content["items"]}
        others = {pair for other in self.original.owners if other is not owner
                  for pair in ((event["viewController"], event["scene"]) for event in other.events)}
        if strange := (found - own) & others:
            raise Complaint("no session has another's data", f"events of {strange}", owner)

    def use_account(self, client, owner):
        for path in ("/v1/account", "/v1/account/credentials"):
            answer = self.call(client, owner, "GET", path, None, owner.credential)
            self.has_unreadable_account |= answer.status == 503
        opened = client.call("POST", "/v1/sessions", {"credential": owner.credential})
        self.has_unreadable_account |= opened.status == 503
        if owner in self.damaged and opened.status == 201 and len(self.damaged) < 30:
            session = opened.content
            client.call("POST", f"/v1/sessions/{session['id']}/log-in",
                        {"username": owner.user, "password": PASSWORD}, session["token"])


class Hunter:
    def __init__(self, waypost, folder, findings, budget, seed):
        self.waypost, self.findings, self.budget = waypost, findings, budget
        self.original = Original(waypost, folder)
        self.path = Path(folder) / "damaged.sqlite"
        self.plan = Plan(self.original, seed)
        self.judged = 0
        self.found = collections.Counter()

    def complaint(self, damages):
        """What a store with these damages makes the service do wrong; None if nothing."""
        done = self.original.damaged(self.path, damages)
        if not done:
            return None
        owners = self.original.owners
        if len(damages) == 1 and damages[0].owner:
            owners = [damages[0].owner, *owners[:3]]
        try:
            Look(self.waypost, self.original, self.path, done).run(owners)
        except Complaint as complaint:
            return complaint
        return None

    def judge(self, damages):
        """Finds the damages of a group that something is wrong with, one after the other."""
        self.judged += len(damages)
        table = damages[0].table
        while damages and self.budget and self.found[table] < MOST_FINDINGS_PER_TABLE:
            if not (complaint := self.complaint(damages)):
                return
            culprit = self.culprit(damages, complaint)
            if not culprit:
                self.add(table, f"{complaint.rule}: {table}",
                         f"{complaint.text}; with {len(damages)} damages together")
                return
            self.add(table, f"{culprit[1].rule}: {culprit[0].name}", culprit[1].text)
            damages = [damage for damage in damages if damage is not culprit[0]]

    def culprit(self, damages, complaint):
        """Returns the damage that does it alone, and the complaint; None if none does."""
        suspects = [damage for damage in damages if complaint.owner and damage.owner is complaint.owner]
        if len(suspects) == 1 and (alone := self.complaint(suspects)):
            return suspects[0], alone
        while len(damages) > 1 and self.budget:
            half = damages[:len(damages) // 2]
            damages = half if self.complaint(half) else damages[len(half):]
        alone = self.complaint(damages)
        return (damages[0], alone) if alone and len(damages) == 1 else None

    def add(self, table, name, text):
        self.found[table] += name not in self.findings
        self.findings.add(PART, name, text)

    def flip(self, generator):
        """Flips bytes of the file, and looks at some sessions."""
        self.original.damaged(self.path, [])
        content = bytearray(self.path.read_bytes())
        flips = [(generator.randrange(100, len(content)), generator.randrange(256))
                 for _ in range(generator.choice([1, 3, 20, 100]))]
        for place, value in flips:
            content[place] = value
        self.path.write_bytes(content)
        try:
            Look(self.waypost, self.original, self.path).run(generator.sample(self.original.owners, 8))
        except Complaint as complaint:
            self.add("bytes", f"{complaint.rule}: bytes", f"{complaint.text}; {flips[:20]}")


def hunt(waypost, folder, findings, seconds, seed, **_):
    budget = Budget(seconds)
    hunter = Hunter(waypost, folder, findings, budget, seed)
    generator = random.Random(seed)
    flipped = 0
    for group in hunter.plan.groups():
        if not budget:
            break
        hunter.judge(group)
        # Two in three looks are at rows, as they find more.
        hunter.flip(generator)
        flipped += 1
    while budget:
        hunter.flip(generator)
        flipped += 1
    print(f"damage: {hunter.judged} damaged rows, {flipped} files with other bytes")
