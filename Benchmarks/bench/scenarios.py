"""What is measured."""

from collections.abc import Callable
from dataclasses import dataclass

from .canned import AUTHOR, COVER
from .client import Request
from .sessions import push_and_pop


@dataclass(frozen=True)
class Scenario:
    """Requests that some servers are sent in turn."""
    name: str
    # For wrk, a list of requests; with `groups`, for our own generator, a list of lists.
    requests: Callable
    # Which of Waypost's stores and sets of sessions, see Contenders.
    variant: str = "memory"
    connections: int = 64
    # The answers are to have changed the sessions as often as they say.
    changes: bool = False
    # Whether Hummingbird, Node and Go take part.
    with_peers: bool = False
    # Whether the C server that syncs each change takes part.
    is_synced: bool = False
    groups: bool = False
    # Send at half of the rate that Waypost has reached in this other scenario.
    half_of: str | None = None
    # How often in each round: tails differ more from run to run than rates do.
    repeats: int = 1


def _get(sessions):
    return [session.get() for session in sessions]


def _push_and_pop(sessions):
    return list(push_and_pop(sessions))


GET_SESSION = Scenario("GET session", _get, with_peers=True)
AUTHOR_SCENARIO = Scenario("GET author", lambda _: [Request("GET", AUTHOR)])
SCREEN = Scenario("GET screen", lambda sessions: [each.get("/screen") for each in sessions])
COVER_SCENARIO = Scenario("GET cover", lambda _: [Request("GET", COVER)])
PUSH_POP = Scenario("push, pop", _push_and_pop, changes=True, with_peers=True)
GET_MANY = Scenario("GET session, 100,000", _get, variant="many")
PUSH_POP_MANY = Scenario("push, pop, 100,000", _push_and_pop, variant="many", changes=True)
DURABLE = [
    Scenario(f"push, pop, durable, {count}", _push_and_pop, variant="durable", connections=count,
             changes=True, is_synced=count == 1)
    for count in (1, 32, 256)]
EVEN = Scenario(
    "set root, 64 sessions", lambda sessions: [[each.set_root()] for each in sessions],
    variant="roots", changes=True, groups=True)
HOT = Scenario(
    "set root, 1 session", lambda sessions: [[sessions[0].set_root()]], variant="roots",
    changes=True, groups=True)
DURABLE_HOT = Scenario(
    "set root, durable, 1 session", lambda sessions: [[sessions[0].set_root()]],
    variant="durable root", connections=256, changes=True, groups=True)
PACED = [
    Scenario("GET session, half rate", lambda sessions: [[each.get()] for each in sessions],
             groups=True, half_of=GET_SESSION.name, repeats=3),
    Scenario("push, pop, half rate",
             lambda sessions: [[each.push(), each.pop()] for each in sessions],
             changes=True, groups=True, half_of=PUSH_POP.name, repeats=3),
]

ALL = [GET_SESSION, AUTHOR_SCENARIO, SCREEN, COVER_SCENARIO, PUSH_POP, GET_MANY, PUSH_POP_MANY,
       *DURABLE, DURABLE_HOT, EVEN, HOT, *PACED]
