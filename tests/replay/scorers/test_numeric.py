from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replay.scorers.numeric import find_number
from replay.scorers.table import build_scorer
from tests.replay.scorers.builders import case, reply


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("it is 42.", "42"),
        ("1,234,567.50 dollars", "1234567.5"),
        ("$1,200", "1200"),
        ("3 and 4", "4"),
        ("1, 2, 3", "3"),
        ("1,23", "23"),
        ("1,2345", "2345"),
        ("2023,100", "100"),
        ("-7", "-7"),
        ("x = −7", "-7"),
        ("(-7)", "-7"),
        ("10-20", "20"),
        ("(3)-4", "4"),
        ("+5", "5"),
        (".5", "0.5"),
        ("1.5e3", "1500"),
        ("6E-2", "0.06"),
        ("50%", "50"),
        ("v1.2.3", "1.2"),
        ("none at all", None),
        ("9" * 1000, None),
        ("7 or " + "9" * 1000, "7"),
    ],
)
def test_the_last_number_is_found_as_people_write_it(text: str, number: str | None) -> None:
    assert find_number(text) == (None if number is None else Decimal(number))


@given(st.integers(-(10**18), 10**18), st.sampled_from(["{}", "{:,}", "{}.", "{:,}.00", "so 3 + 4 make {:,} apples"]))
def test_an_integer_is_read_back_however_it_is_printed(number: int, form: str) -> None:
    assert find_number(form.format(number)) == number


@pytest.mark.parametrize(
    ("marker", "text", "number"),
    [
        ("####", "2 + 5\n#### 7\n(2 steps)", 7),
        ("A:", "A: 3, no: A: 4 apples of 9", 4),
        ("####", "the answer is 7", None),
        ("####", "7 ####", None),
    ],
)
def test_the_first_number_behind_the_last_marker_is_found(marker: str, text: str, number: int | None) -> None:
    assert find_number(text, marker) == number


def test_a_worked_solution_may_be_the_reference() -> None:
    scorer = build_scorer("numeric", {"marker": "####"})
    assert scorer.score(case("4 * 18 = 72\n#### 72"), reply("so #### 72.0 (of 80)")).label == "pass"
    assert scorer.score(case("72"), reply("#### 71")).failure_category == "wrong_answer"


def test_a_reply_without_a_number_fails_on_its_format() -> None:
    score = build_scorer("numeric", {}).score(case("7"), reply("seven"))
    assert (score.label, score.failure_category, score.reason) == ("fail", "format", "the reply has no number")
    score = build_scorer("numeric", {"marker": "A:", "format_category": "no_answer"}).score(case("7"), reply("7"))
    assert (score.failure_category, score.reason) == ("no_answer", "the reply has no number after 'A:'")


def test_a_reference_without_a_number_is_no_failure_of_the_model() -> None:
    score = build_scorer("numeric", {}).score(case("seven"), reply("7"))
    assert (score.value, score.label) == (None, "unscored")


@pytest.mark.parametrize(
    ("options", "text", "label"),
    [
        ({}, "0.30", "pass"),
        ({}, "0.3000000001", "fail"),
        ({"tolerance": 0.01}, "0.31", "pass"),
        ({"tolerance": 0.01}, "0.311", "fail"),
        ({"relative_tolerance": 0.1}, "0.33", "pass"),
        ({"relative_tolerance": 0.1}, "0.3301", "fail"),
        ({"tolerance": 1}, "-0.5", "pass"),
        ({"tolerance": 0.1}, "1e999", "fail"),
    ],
)
def test_the_tolerance_is_exact_at_its_edge(options: dict[str, float], text: str, label: str) -> None:
    assert build_scorer("numeric", options).score(case("0.3"), reply(text)).label == label


@given(st.decimals(allow_nan=False, allow_infinity=False, places=6), st.floats(0, 1e6))
def test_a_number_agrees_with_itself_at_any_tolerance(number: Decimal, tolerance: float) -> None:
    scorer = build_scorer("numeric", {"tolerance": tolerance})
    assert scorer.score(case(f"{number:f}"), reply(f"{number:f}")).label == "pass"
