"""What tests with the fixtures of conftest.py look like."""

import urllib.error

import pytest


def titles(session):
    return [each["title"] for each in session.get()["viewControllers"]]


def test_begins_where_the_golden_session_is(session):
    assert titles(session) == ["Authors", "Jules Verne"]
    session.do("select-row", row=1)
    assert titles(session)[-1] == "From the Earth to the Moon"


def test_does_not_see_what_another_test_did(session):
    assert titles(session) == ["Authors", "Jules Verne"]


def test_expires_without_waiting(waypost, session):
    waypost.advance(366 * 86_400)
    with pytest.raises(urllib.error.HTTPError) as refusal:
        session.get()
    assert refusal.value.code == 404
    waypost.reset()
    assert titles(waypost.fork()) == ["Authors", "Jules Verne"]
