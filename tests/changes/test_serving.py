"""What was announced against what traffic shows."""

from datetime import timedelta

from monitor.changes.serving import Serving, serving
from monitor.domain.served import ServedVersion
from monitor.domain.version import Change, How
from tests.alerting.build import T0, a_change

LABELS = {"aaa": "gpt-4", "bbb": "gpt-5"}


def announced() -> Change:
    from dataclasses import replace

    return replace(a_change(), how=How.ANNOUNCED)


def served(version: str, calls: int) -> ServedVersion:
    return ServedVersion(version=version, calls=calls, last_at=T0 + timedelta(hours=1))


def test_an_announced_model_that_never_answered_is_not_the_current_one() -> None:
    found = serving("bbb", announced(), [served("aaa", 240)], LABELS)
    assert (found.current, found.announced, found.observed) == ("aaa", "bbb", "aaa")
    assert found.contradiction == (
        "gpt-5 was announced but has answered none of 240 production calls since the announcement of "
        "2026-11-21 01:40 UTC; gpt-4 answers"
    )


def test_one_call_by_the_announced_model_is_no_contradiction() -> None:
    found = serving("bbb", announced(), [served("aaa", 240), served("bbb", 1)], LABELS)
    assert (found.current, found.observed, found.contradiction) == ("bbb", "aaa", None)


def test_before_any_call_the_announcement_is_believed() -> None:
    assert serving("bbb", announced(), [], LABELS) == Serving(current="bbb", announced="bbb")


def test_an_observed_change_has_nothing_to_contradict() -> None:
    assert serving("bbb", a_change(), [served("aaa", 3)], LABELS) == Serving(current="bbb", observed="aaa")
    assert serving(None, None, [], {}) == Serving(current=None)
