#!/usr/bin/env python3
"""The checker accepts what is right, and finds each kind of violation.   check_checker.py"""

import copy
import sys
import unittest

from checker import check
from operations import digest

S = "5e5510"


class Model:
    """A service that does all right, and a clock that each call moves on."""

    def __init__(self):
        self.time, self.revision, self.ids = 0, 1, 1
        self.stack, self.mark = [["vc1", None]], "0"
        self.records, self.log, self.history = [], [], []
        self.emit("vc1")

    def emit(self, top):
        first = len(self.log) + 1
        for name in ("viewWillAppear", "viewDidAppear"):
            self.log.append({"seq": len(self.log) + 1, "revision": self.revision, "event": name, "viewController": top})
        events = self.log[first - 1:]
        return [first, len(self.log), digest(events)]

    def state(self):
        return {"at": self.revision, "stack": copy.deepcopy(self.stack), "mark": self.mark}

    def note(self, op, **members):
        record = {"client": "c", "session": S, "op": op, "key": None, "called": self.time,
                  "returned": self.time + 1, "outcome": "ok"} | members
        self.time += 2
        self.records.append(record)
        return record

    def change(self, op, n, is_lost=False, key=None, **members):
        before = copy.deepcopy(self.stack)
        if op in ("pop", "pop-to-root", "batch"):
            self.stack = self.stack[:-1] if op == "pop" else self.stack[:1]
        if op in ("push", "batch", "chain"):
            self.ids += 1
            self.stack = self.stack + [[f"vc{self.ids}", n]]
        if op == "patch":
            self.mark = n
        self.revision += 1
        numbered = None if op in ("pop", "pop-to-root") else n
        self.history.append({"revision": self.revision, "op": "push" if op == "chain" else op, "n": numbered})
        answer = {"changed": True, "made": self.revision,
                  "popped": [pair for pair in before if pair not in self.stack]} | self.state()
        if op != "patch":
            answer["events"] = self.emit(self.stack[-1][0])
        if is_lost:
            return self.note(op, n=n, outcome="maybe", returned=None, **members)
        return self.note(op, n=n, sent=self.time, replayed=False, key=key, answer=digest([n]),
                         whole=digest([n, "whole"]), **answer, **members)

    def repeat(self, n, **members):
        return self.note("repeat", **{
            "key": f"k{n}", "replayed": True, "answer": digest([n]), "whole": digest([n, "whole"])} | members)

    def read(self, **members):
        return self.note("get", **self.state() | members)

    def violations(self):
        final = self.note("final", **self.state())
        self.records.pop()
        return check(self.records, {S: self.log}, {S: final}, {S: self.history})

    def properties(self):
        return {violation.property for violation in self.violations()}


def busy():
    """A model after some changes."""
    model = Model()
    model.change("push", "1")
    model.change("push", "2", key="k2")
    model.read()
    model.change("patch", "3")
    model.change("pop", "4")
    model.change("batch", "5", key="k5")
    model.change("chain", "6", if_match=model.revision)
    model.read()
    return model


class CheckerTests(unittest.TestCase):
    def test_accepts_a_history_that_is_right(self):
        self.assertEqual(busy().violations(), [])

    def test_accepts_lost_changes_that_were_done_or_not(self):
        model = busy()
        model.change("push", "7", is_lost=True)
        model.change("pop", "8", is_lost=True)
        model.change("patch", "9", is_lost=True)
        model.change("pop-to-root", "10", is_lost=True)
        model.note("push", n="11", outcome="maybe", returned=None)
        model.note("pop", n="12", outcome="refused")
        model.change("push", "13")
        self.assertEqual(model.violations(), [])

    def test_accepts_a_change_that_is_answered_after_later_ones(self):
        model = busy()
        early = model.change("push", "7", key="k7")
        model.change("push", "8")
        early["returned"] = model.time
        self.assertEqual(model.violations(), [])

    # 1

    def test_finds_an_acknowledged_change_that_is_lost_at_the_end(self):
        model = busy()
        saved = copy.deepcopy((model.stack, model.mark, model.revision, model.log))
        model.change("push", "7")
        model.stack, model.mark, model.revision, model.log = saved
        self.assertIn(1, model.properties())

    def test_finds_an_acknowledged_change_whose_revision_another_one_took(self):
        model = busy()
        saved = copy.deepcopy((model.stack, model.mark, model.revision, model.log))
        model.change("push", "7")
        model.stack, model.mark, model.revision, model.log = saved
        model.change("pop-to-root", "8")
        self.assertIn(1, model.properties())

    def test_finds_a_change_that_was_done_twice(self):
        model = busy()
        model.change("push", "7", key="k7")
        model.change("push", "7", is_lost=True)
        model.records.pop()
        model.read()
        self.assertIn(1, model.properties())

    def test_finds_a_pop_that_was_done_twice(self):
        model = busy()
        model.change("push", "7")
        model.change("pop", "8")
        model.change("pop", "8", is_lost=True)
        model.records.pop()
        self.assertIn(1, model.properties())

    def test_finds_a_refused_change_that_was_done(self):
        model = busy()
        model.change("push", "7", is_lost=True)["outcome"] = "refused"
        model.read()
        self.assertIn(1, model.properties())

    def test_finds_a_lost_change_that_was_done_before_it_was_sent(self):
        model = busy()
        lost = model.change("pop", "7", is_lost=True)
        model.read()
        lost["called"] = model.time
        self.assertIn(1, model.properties())

    def test_finds_a_gap_in_the_log(self):
        model = busy()
        del model.log[3]
        self.assertIn(1, model.properties())

    def test_finds_a_session_that_vanished(self):
        model = busy()
        model.note("get", outcome="gone")
        self.assertIn(1, model.properties())

    # 2

    def test_finds_a_response_whose_state_does_not_follow(self):
        model = busy()
        model.change("push", "7")["stack"].insert(1, ["vc2", "1"])
        self.assertIn(2, model.properties())

    def test_finds_a_condition_that_was_not_kept(self):
        model = busy()
        model.change("chain", "7", if_match=model.revision - 1)
        self.assertIn(2, model.properties())

    def test_finds_a_title_that_another_change_undid(self):
        model = busy()
        model.change("push", "7")["mark"] = "0"
        self.assertIn(2, model.properties())

    # 3

    def test_finds_a_change_that_has_a_lower_revision_than_one_before_its_call(self):
        model = busy()
        first, second = model.change("push", "7"), model.change("push", "8")
        for name in ("called", "returned"):
            first[name], second[name] = second[name], first[name]
        self.assertEqual(model.properties(), {3})

    # 4

    def test_finds_a_stale_read(self):
        model = busy()
        old = model.state()
        model.change("push", "7")
        model.note("get", **old)
        self.assertEqual(model.properties(), {4})

    def test_finds_a_stale_read_without_a_state(self):
        model = busy()
        revision = model.revision
        model.change("push", "7")
        model.note("get-changed", at=revision)
        self.assertEqual(model.properties(), {4})

    def test_finds_a_read_of_a_change_that_was_lost_later(self):
        model = busy()
        saved = copy.deepcopy((model.stack, model.mark, model.revision, model.log))
        model.change("push", "7", is_lost=True)
        model.read()
        model.stack, model.mark, model.revision, model.log = saved
        self.assertIn(4, model.properties())

    def test_finds_a_read_that_goes_back(self):
        model = busy()
        old = model.state()
        model.change("push", "7", is_lost=True)
        model.read()
        model.note("get", **old)
        self.assertEqual(model.properties(), {4})

    def test_finds_a_read_with_the_state_of_another_revision(self):
        model = busy()
        model.read(stack=[["vc1", None]])
        self.assertIn(4, model.properties())

    def test_finds_a_stale_log(self):
        model = busy()
        known = len(model.log)
        model.change("push", "7")
        model.note("events", last_event=known)
        self.assertEqual(model.properties(), {4})

    def test_accepts_a_stream_that_is_late(self):
        model = busy()
        old = model.state()
        model.change("push", "7")
        model.note("stream", called=0, streamed=[1, 4, digest(model.log[:4])], **old)
        self.assertEqual(model.violations(), [])

    def test_finds_a_stream_that_is_early(self):
        model = busy()
        message = model.note("stream", called=0)
        model.change("push", "7")
        message |= model.state()
        self.assertEqual(model.properties(), {4})

    def test_finds_a_stream_with_other_events(self):
        model = busy()
        model.note("stream", called=0, streamed=[1, 4, digest(model.log[1:5])], **model.state())
        self.assertEqual(model.properties(), {4})

    def test_finds_a_session_that_is_there_after_its_end(self):
        model = busy()
        model.note("end", session="other")
        model.note("get", session="other", outcome="gone")
        self.assertEqual(model.properties(), set())
        model.note("get", session="other")
        self.assertEqual(model.properties(), {4})

    # 5

    def test_finds_a_session_that_is_logged_in_after_its_revocation(self):
        model = busy()
        model.note("auth", session="other", auth="loggedIn")
        model.note("revoke", session="third", sessions=["other"])
        model.note("auth", session="other", auth="loggedOut")
        self.assertEqual(model.properties(), set())
        model.note("auth", session="other", auth="loggedIn")
        self.assertEqual(model.properties(), {5})

    # 6

    def test_accepts_a_repetition_with_the_same_response(self):
        model = busy()
        model.repeat("5")
        self.assertEqual(model.violations(), [])

    def test_accepts_a_repetition_with_a_later_state_of_the_session(self):
        model = busy()
        model.repeat("5", whole=digest(["later"]), **model.state())
        self.assertEqual(model.violations(), [])

    def test_finds_a_repetition_with_a_state_that_the_session_never_had(self):
        model = busy()
        model.repeat("5", whole=digest(["later"]), **model.state() | {"mark": "99"})
        self.assertEqual(model.properties(), {4})

    def test_finds_a_repetition_with_another_form_of_the_same_state(self):
        model = busy()
        model.repeat("5", whole=digest(["other"]))
        self.assertEqual(model.properties(), {6})

    def test_finds_a_repetition_with_another_response(self):
        model = busy()
        model.repeat("5", answer=digest(["6"]))
        self.assertEqual(model.properties(), {6})

    def test_finds_a_repetition_that_was_done_again(self):
        model = busy()
        model.repeat("5", replayed=False)
        self.assertEqual(model.properties(), {6})

    def test_finds_a_key_that_was_never_answered(self):
        model = busy()
        model.note("push", n="7", key="k7", outcome="maybe", returned=None)
        self.assertEqual(model.properties(), {6})

    # 7

    def test_finds_a_store_that_its_check_refuses(self):
        from store import findings
        self.assertEqual(findings([["true"]]), [])
        found = findings([["true"], ["sh", "-c", "echo damaged; exit 1"]])
        self.assertEqual([violation.property for violation in found], [7])
        self.assertIn("damaged", found[0].text)

    # 8

    def test_finds_a_history_without_a_change(self):
        model = busy()
        del model.history[2]
        self.assertEqual(model.properties(), {8})

    def test_finds_a_history_that_ends_early(self):
        model = busy()
        model.history.pop()
        self.assertEqual(model.properties(), {8})

    def test_finds_a_change_twice_in_a_history(self):
        model = busy()
        model.history.insert(1, model.history[0])
        self.assertEqual(model.properties(), {8})

    def test_finds_another_change_in_a_history(self):
        model = busy()
        model.history[0]["n"] = "2"
        self.assertEqual(model.properties(), {8})
        model = busy()
        model.history[0]["op"] = "pop"
        self.assertEqual(model.properties(), {8})

    def test_finds_a_change_in_a_history_that_nobody_sent(self):
        model = busy()
        model.change("push", "7", is_lost=True)
        model.history[-1]["n"] = "8"
        self.assertEqual(model.properties(), {8})


if __name__ == "__main__":
    sys.exit(not unittest.main(exit=False, argv=[sys.argv[0]], verbosity=0).result.wasSuccessful())
