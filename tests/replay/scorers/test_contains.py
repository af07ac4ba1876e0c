import pytest

from replay.scorers.table import build_scorer
from tests.replay.scorers.builders import case, reply


@pytest.mark.parametrize(
    ("mode", "text", "label"),
    [
        ("any", "Paris is in France", "pass"),
        ("any", "Rome is in Italy", "fail"),
        ("all", "Paris, then Lyon", "pass"),
        ("all", "Paris alone", "fail"),
        ("none", "Rome", "pass"),
        ("none", "Rome, then Lyon", "fail"),
    ],
)
def test_any_all_or_none_of_the_references_are_looked_for(mode: str, text: str, label: str) -> None:
    score = build_scorer("contains", {"mode": mode}).score(case("Paris", "Lyon"), reply(text))
    assert score.label == label


def test_case_matters_unless_told_otherwise() -> None:
    assert build_scorer("contains", {}).score(case("Paris"), reply("paris")).label == "fail"
    assert build_scorer("contains", {"ignore_case": True}).score(case("Paris"), reply("PARIS!")).label == "pass"


def test_a_line_break_inside_a_phrase_does_not_hide_it() -> None:
    assert build_scorer("contains", {}).score(case("New York"), reply("in New\n  York")).label == "pass"


def test_an_empty_reference_beside_a_real_one_does_not_pass_everything() -> None:
    assert build_scorer("contains", {}).score(case("", "Paris"), reply("Rome")).label == "fail"
    assert build_scorer("contains", {"mode": "all"}).score(case("", "Paris"), reply("Paris")).label == "pass"


def test_the_reason_says_how_many_were_found() -> None:
    score = build_scorer("contains", {"mode": "all"}).score(case("Paris", "Lyon"), reply("Paris"))
    assert score.reason == "1 of 2 references are in the reply, required: all"
