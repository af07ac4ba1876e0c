import pytest

from replay.scorers.table import build_scorer
from tests.replay.scorers.builders import case, reply


@pytest.mark.parametrize(
    ("text", "ignore_case", "label"),
    [
        ("New York", False, "pass"),
        ("  New \n York ", False, "pass"),
        ("new york", False, "fail"),
        ("new york", True, "pass"),
        ("NYC", False, "pass"),
        ("New York City", True, "fail"),
    ],
)
def test_the_whole_reply_is_compared_but_for_whitespace(text: str, ignore_case: bool, label: str) -> None:
    scorer = build_scorer("exact", {"ignore_case": ignore_case})
    assert scorer.score(case("New York", "NYC"), reply(text)).label == label


def test_spellings_of_one_character_are_equal() -> None:
    assert build_scorer("exact", {}).score(case("Café"), reply("Cafe\u0301")).label == "pass"


def test_a_failure_carries_the_configured_category() -> None:
    score = build_scorer("exact", {"failure_category": "geography"}).score(case("Rome"), reply("Paris"))
    assert score.failure_category == "geography"
