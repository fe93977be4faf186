"""What one client asked of one session, and what it was told: one dictionary for each request.

All records have `client`, `session`, `op`, `called` and `returned` (seconds; None without a response), and
`outcome`:

- `ok`: the service did it.
- `refused`: the service said that it did nothing.
- `gone`: the session does not exist (404).
- `maybe`: no response, or one that does not tell.

Changes also have `n`, their number, which no other change has, and `key`. A response adds `changed`,
`made` (the revision that the change made), `events` (first and last number, and a digest), `popped`,
and the state that it shows: `at` (revision), `stack` (pairs of id and number) and `mark` (the root's title).
"""

import hashlib
import json

# Problems that say that nothing was done. After all others of 5xx, something may have been.
NOT_DONE = {"busy", "storage-unavailable", "not-ready", "session-busy", "precondition-failed"}


def digest(value):
    content = value if isinstance(value, bytes) else json.dumps(value, separators=(",", ":")).encode()
    return hashlib.sha256(content).hexdigest()[:16]


def stack_of(view_controllers):
    return [[controller["id"], controller["parameters"].get("n")] for controller in view_controllers]


def state_of(session):
    controllers = session["viewControllers"]
    return {"at": session["revision"], "stack": stack_of(controllers), "mark": controllers[0]["title"]}


def revision_of(tag):
    return int(tag.strip('"').split("-")[0])


def change_of(answer):
    """What the response to a change says."""
    record = {"changed": answer["changed"], "popped": stack_of(answer["popped"])}
    if events := answer["events"]:
        record["events"] = [events[0]["seq"], events[-1]["seq"], digest(events)]
        record["made"] = events[0]["revision"]
    session = answer["session"]
    if answer["changed"]:
        record.setdefault("made", session["revision"])
    return record | state_of(session)


def history_of(entries):
    """The entries of a history: the revision, the operation, and the number of the change where its body has it."""
    history = []
    for entry in entries:
        [(name, body)] = entry["operation"].items()
        history.append({"revision": entry["revision"], "op": name, "n": number_in(name, body)})
    return history


def number_in(operation, body):
    match operation:
        case "push":
            return body["parameters"]["n"]
        case "batch":
            return body["operations"][1]["push"]["parameters"]["n"]
        case "patch":
            return body["title"]
    return None


def code_of(answer):
    return answer.get("code") if isinstance(answer, dict) else None


def outcome_of(status, answer):
    """How a response ends an operation; None for a response that no request of these tests should get."""
    if status in (200, 201, 204, 304):
        return "ok"
    code = code_of(answer)
    if code == "session-not-found":
        return "gone"
    if code in NOT_DONE:
        return "refused"
    # Responses without a code are HAProxy's own.
    if status in (502, 503, 504):
        return "maybe"
    return None
