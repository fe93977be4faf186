"""Notes the answers of a service that no migration may change."""

import json


class Answers:
    """The requests and their answers, as lines of JSON."""

    def __init__(self, client, file):
        self.client, self.file = client, file

    def write(self, line):
        print(json.dumps(line, ensure_ascii=False, separators=(",", ":")), file=self.file)

    def get(self, path, token, **more):
        """- more: `without`, the members of the answer that are not compared."""
        answer = self.client.call("GET", path, token=token)
        self.write({"method": "GET", "path": path, "token": token, "status": answer.status,
                    "answer": text(answer)} | more)
        return answer

    def pages(self, path, token, limit):
        """All pages of a list."""
        after = None
        while True:
            query = f"?limit={limit}" + (f"&after={after}" if after else "")
            answer = self.get(path + query, token)
            after = answer.content.get("next") if answer.status == 200 else None
            if after is None:
                return

    def session(self, path, token, is_layered, has_flow):
        """A session: what it shows, its lists, and its earlier states."""
        answer = self.get(path, token)
        if answer.status != 200:
            return
        if is_layered:
            self.get(f"{path}/layers", token)
        self.pages(f"{path}/events", token, 1000)
        self.pages(f"{path}/history", token, 1000)
        last = answer.content["revision"]
        hundreds = [base + step for base in range(100, last, 300) for step in (-1, 0, 1)]
        for revision in sorted({1, 2, last // 2, last - 1, last, *hundreds} & set(range(1, last + 1))):
            self.get(f"{path}?revision={revision}", token)
        if has_flow:
            self.get(f"{path}/flow", token)

    def account(self, credential):
        for path in ("/v1/account", "/v1/account/credentials"):
            self.get(path, credential)
        sessions = self.get("/v1/account/sessions?limit=200", credential)
        for session in sessions.content["items"] if sessions.status == 200 else []:
            self.get(f"/v1/account/sessions/{session['id']}/tokens", credential)

    def repetition(self, method, path, body, token, key):
        """A request with a key, which was answered before."""
        answer = self.client.call(method, path, body, token, {"Idempotency-Key": key})
        # The text that the client sent: a repetition has the same bytes.
        self.write({"method": method, "path": path, "token": token, "key": key,
                    "body": "" if body is None else json.dumps(body), "status": answer.status,
                    "answer": text(answer), "replayed": answer.fields.get("idempotency-replayed") == "true"})


def text(answer):
    """The body, without the request's own id."""
    if answer.type == "application/problem+json":
        return answer.content["code"]
    return answer.body.decode()
