import pytest

from replay.scorers.table import build_scorer
from tests.replay.scorers.builders import case, reply


def test_without_a_pattern_the_references_are_patterns() -> None:
    scorer = build_scorer("regex", {})
    assert scorer.score(case(r"\d{3}", "none"), reply("it is 123")).label == "pass"
    assert scorer.score(case(r"\d{3}", "none"), reply("it is 12")).label == "fail"


def test_a_reference_inside_a_pattern_is_taken_literally() -> None:
    scorer = build_scorer("regex", {"pattern": "^answer: {reference}$"})
    assert scorer.score(case("1+1"), reply("so\nanswer: 1+1\n")).label == "pass"
    assert scorer.score(case("1+1"), reply("answer: 111")).label == "fail"


def test_a_pattern_of_its_own_needs_no_reference() -> None:
    scorer = build_scorer("regex", {"pattern": r"^\{.*\}$", "whole": True})
    assert scorer.score(case(), reply('{"a": 1}')).label == "pass"
    assert scorer.score(case(), reply('Sure! {"a": 1}')).label == "fail"


@pytest.mark.parametrize(("ignore_case", "label"), [(False, "fail"), (True, "pass")])
def test_case_matters_unless_told_otherwise(ignore_case: bool, label: str) -> None:
    scorer = build_scorer("regex", {"pattern": "yes", "ignore_case": ignore_case})
    assert scorer.score(case(), reply("YES")).label == label


def test_a_reference_that_is_no_pattern_is_no_failure_of_the_model() -> None:
    score = build_scorer("regex", {}).score(case("("), reply("("))
    assert (score.value, score.label) == (None, "unscored")
    assert "a reference is not a valid regular expression" in score.reason
