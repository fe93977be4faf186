"""The steps of a sequence that send requests again, or are to be refused, or start the service anew."""

import threading

from model import canonical, require
from service import Client, Crashed, Unanswered


def outcome_of(answer):
    """What must be the same when an answer comes again: all but the session as it is now."""
    if not isinstance(answer.content, dict):
        return answer.content
    left = {"session"} if "changed" in answer.content else set()
    return {name: value for name, value in answer.content.items() if name not in left}


class Repetitions:
    """A part of `Player`."""

    def do_again(self, step):
        """A request with a key comes again: it is not done again, and answered the same."""
        if not self.sent:
            return
        sent = self.sent[step["n"] % len(self.sent)]
        if sent.session.has_ended and sent.method != "DELETE":
            return
        answer = self.call(sent.method, sent.path, sent.body, sent.token, sent.fields)
        if answer.code == "credential-revoked":
            require(sent.credential in self.revoked, "only the answer of an ended log-in is withheld", answer)
            return
        rule = "a request that comes again is answered the same"
        require(answer.status == sent.answer.status, rule, f"{sent.answer} became {answer}")
        require(answer.fields.get("idempotency-replayed") == "true", rule, answer.fields)
        require(canonical(outcome_of(answer)) == canonical(outcome_of(sent.answer)), rule, answer)

    def do_reuse(self, step):
        """A key comes with another request: refused, and nothing is done."""
        if not self.sent:
            return
        sent = self.sent[step["n"] % len(self.sent)]
        if sent.session.has_ended or sent.token is None:
            return
        answer = self.call("POST", sent.session.path + "/batch", {"operations": [], "animated": True},
                           sent.token, sent.fields)
        require(answer.status == 422 and answer.code == "idempotency-key-reused",
                "a key stands for one request", answer)

    def do_twice(self, step):
        """The same request twice at the same time: it is done once."""
        session = self.session(step)
        self.touch(session)
        fields = self.fields(session, step | {"match": None})
        body = self.body(session, step["body"])
        answers = []

        def send():
            client = Client(self.service)
            try:
                answers.append(client.call(
                    "POST", f"{session.path}/push", body, session.token, fields))
            except (Crashed, Unanswered):
                pass  # An answer is then missing.
            self.bytes_sent += client.sent

        threads = [threading.Thread(target=send) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.service.check_alive()
        rule = "a request that comes twice at once is done once"
        require(len(answers) == 2 and answers[0].status == answers[1].status, rule, answers)
        if answers[0].status == 200:
            replayed = [answer.fields.get("idempotency-replayed") for answer in answers]
            require(sorted(replayed, key=str) == [None, "true"], rule, replayed)
            first = answers[replayed.index(None)]
            session.note_change(first.content, first.tag)
            require(canonical(outcome_of(answers[0])) == canonical(outcome_of(answers[1])), rule)

    def do_defects(self, step):
        """A body with many defects."""
        session, count = self.session(step), step["count"]
        self.touch(session)
        method, path, body = [
            ("POST", "batch", {"operations": [{}] * count}),
            ("POST", "batch", {"operations": [1] * count}),
            ("POST", "set-view-controllers", {"viewControllers": [{}] * (count // 2)}),
            ("POST", "push", {f"m{number}": 0 for number in range(count // 4 + 1)}),
            ("POST", "push", {"scene": "authors", "parameters": {f"{n}": 0 for n in range(count // 4 + 1)}}),
            ("PATCH", "view-controllers/vc1", {"navigationItem": {"leftItems": [1] * count}}),
        ][step["n"]]
        answer = self.call(method, f"{session.path}/{path}", body, session.token)
        require(answer.status >= 400, "defects are refused", answer)

    def do_restart(self, step):
        self.restart(step["how"])

    def do_move(self, step):
        """Goes on with another storyboard or catalog."""
        self.app = (step["n"] % 4, step["m"] % 2)
        for session in self.living():
            session.may_fall_back.add("app")
            session.may_look_different = True
        self.restart("kill" if step["s"] % 2 else "stop")
