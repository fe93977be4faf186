"""Whether the servers do the same work, and do it right."""

from .client import Client, WrongAnswer

PUSH_EVENTS = ["viewDidLoad", "willShow", "viewWillDisappear", "viewWillAppear", "didShow",
               "viewDidDisappear", "viewDidAppear"]
POP_EVENTS = PUSH_EVENTS[1:]


def shape(value):
    """The members and types of a JSON value, without what they hold."""
    match value:
        case dict():
            return {name: shape(member) for name, member in value.items()}
        case list():
            shapes = []
            for element in map(shape, value):
                if element not in shapes:
                    shapes.append(element)
            return shapes
        case bool() | None:
            return str(type(value))
        case int() | float():
            return "number"
        case _:
            return "string"


def expect(condition, name, what):
    """Ends the run unless `condition` holds."""
    if not condition:
        raise WrongAnswer(f"{name}: {what}")


def check_session(name, session):
    """A session that is at its root."""
    stack = session["viewControllers"]
    expect([entry["scene"] for entry in stack] == ["authors"], name, stack)
    expect(session["navigationBar"]["backButton"] is None, name, session)
    expect(session["bottomBar"]["text"] == "15 authors", name, session)


def check_push(name, before, change):
    """The answer to a push onto the root."""
    session = change["session"]
    stack = session["viewControllers"]
    expect(change["changed"] and change["transition"] == "push", name, change)
    expect([event["event"] for event in change["events"]] == PUSH_EVENTS, name, change["events"])
    expect([entry["scene"] for entry in stack] == ["authors", "titles"], name, stack)
    expect(session["navigationBar"]["backButton"] == {"title": "Authors"}, name, session)
    expect(session["revision"] == before["revision"] + 1, name, session)


def check_pop(name, pushed, change):
    """The answer to the pop that follows."""
    session, left = change["session"], pushed["session"]["viewControllers"][-1]
    expect(change["changed"] and change["transition"] == "pop", name, change)
    expect(change["popped"] == [left], name, change["popped"])
    expect([event["event"] for event in change["events"]] == POP_EVENTS, name, change["events"])
    first = pushed["events"][-1]["seq"] + 1
    numbers = [event["seq"] for event in change["events"]]
    expect(numbers == list(range(first, first + len(numbers))), name, numbers)
    expect(session["revision"] == pushed["session"]["revision"] + 1, name, session)
    check_session(name, session)


def checked_shapes(name, server, session):
    """Reads, pushes and pops; returns the shapes of the three answers."""
    with Client(server) as client:
        before = client.send(session.get()).json()
        pushed = client.send(session.push()).json()
        popped = client.send(session.pop()).json()
    check_session(name, before)
    check_push(name, before, pushed)
    check_pop(name, pushed, popped)
    return [shape(before), shape(pushed), shape(popped)]


def check_same_work(contenders):
    """All servers that keep sessions answer with the same members, and rightly."""
    expected = None
    for each in contenders:
        shapes = checked_shapes(each.name, each.server, each.sessions[0])
        expected = expected or shapes
        for ours, theirs in zip(expected, shapes):
            expect(ours == theirs, each.name, f"answers with other members: {theirs}, not {ours}")
