from typing import Any

import pytest

from replay.scorers.table import build_scorer
from replay.types import Score
from tests.replay.scorers.builders import case, reply


def judged(text: str, *must_include: str, must_not: tuple[str, ...] = (), **options: Any) -> Score:
    return build_scorer("must", options).score(case(*must_include, must_not=must_not), reply(text))


def test_everything_it_must_say_has_to_be_there() -> None:
    assert judged("Within 30 days, and keep the receipt.", "30 days", "receipt").label == "pass"
    lacking = judged("Within 30 days.", "30 days", "receipt", "unused")
    assert (lacking.label, lacking.failure_category) == ("fail", "missing_content")
    assert lacking.reason == "lacks required content: must_include 2, 3"


def test_one_thing_it_must_not_say_is_enough_to_fail() -> None:
    said = judged("Within 30 days. We never refund.", "30 days", must_not=("free of charge", "never refund"))
    assert (said.label, said.failure_category) == ("fail", "forbidden_content")
    assert said.reason == "contains forbidden content: must_not 2"


def test_what_must_not_be_said_weighs_more_than_what_is_missing() -> None:
    assert judged("We never refund.", "30 days", must_not=("never",)).failure_category == "forbidden_content"


def test_a_case_may_have_only_what_must_not_be_said() -> None:
    assert judged("Gladly.", must_not=("never",)).label == "pass"


def test_case_and_line_breaks_do_not_matter_unless_told_so() -> None:
    assert judged("THIRTY\n  DAYS", "thirty days").label == "pass"
    assert judged("Thirty days", "thirty days", ignore_case=False).label == "fail"


def test_a_phrase_is_taken_literally_and_a_pattern_is_not() -> None:
    assert judged("30 days", "30 days|thirty days").label == "fail"
    assert judged("Thirty\ndays", "30 days|thirty days", patterns=True).label == "pass"
    assert judged("We guarantee it", "we", must_not=(r"\bguarantee\w*",), patterns=True).label == "fail"


def test_a_pattern_that_is_none_has_no_verdict() -> None:
    assert judged("x", "(", patterns=True).label == "unscored"


def test_a_blank_text_asks_for_nothing_and_keeps_the_numbers_of_the_others() -> None:
    assert judged("30 days", " ", "30 days", must_not=("",)).label == "pass"
    assert judged("soon", " ", "30 days").reason.endswith("must_include 2")


def test_failures_are_named_as_configured() -> None:
    options: dict[str, Any] = {"missing_category": "incomplete", "forbidden_category": "wrong_policy"}
    assert judged("soon", "30 days", **options).failure_category == "incomplete"
    assert judged("never", must_not=("never",), **options).failure_category == "wrong_policy"


@pytest.mark.parametrize("text", ["never refund", "30 days"])
def test_a_reason_never_quotes_the_case(text: str) -> None:
    assert text not in judged(text, "receipt", must_not=("never refund",)).reason
