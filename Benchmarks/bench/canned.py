"""Waypost's own answers, kept for the bare C server to send."""

from .client import Client, Request, WrongAnswer

AUTHOR = "/v1/catalog/authors/jules-verne"
COVER = f"{AUTHOR}/books/from-the-earth-to-the-moon/cover"

# libmicrohttpd adds these itself.
ADDED = {"date", "content-length", "connection"}


def _requests(session):
    """Name, then request, in the order in which they are sent."""
    return {
        "push": session.push(), "pop": session.pop(), "session": session.get(),
        "screen": session.get("/screen"), "author": Request("GET", AUTHOR),
        "cover": Request("GET", COVER), "root": session.set_root(),
    }


def _routes(session):
    """What the C server looks at: method, beginning and end of the path. The first that fits."""
    for name, request in _requests(session).items():
        if request.path == session.path:
            continue
        elif request.token:
            yield request.method, "/v1/sessions/", request.path.removeprefix(session.path), name
        else:
            yield request.method, request.path, "/" + request.path.rpartition("/")[2], name
    yield "GET", "/v1/sessions/", "-", "session"


def record(server, session, folder):
    """Asks Waypost, and writes what the C server reads.

    - Returns: the answers by name.
    """
    answers = {}
    with Client(server) as client:
        for name, request in _requests(session).items():
            answer = answers[name] = client.send(request)
            (folder / f"{name}.body").write_bytes(answer.body)
            (folder / f"{name}.headers").write_text("".join(
                f"{field}: {value}\n" for field, value in answer.headers
                if field.lower() not in ADDED))
    (folder / "routes").write_text("".join(
        " ".join(route) + "\n" for route in _routes(session)))
    return answers


def check(server, session, recorded):
    """The C server sends the same bytes, and the same header fields."""
    with Client(server) as client:
        for name, request in _requests(session).items():
            answer = client.send(request)
            if answer.body != recorded[name].body or _fields(answer) != _fields(recorded[name]):
                raise WrongAnswer(f"the C server's {name}: {answer}, not {recorded[name]}")


def _fields(answer):
    return sorted(field for field in answer.headers if field[0].lower() != "date")
