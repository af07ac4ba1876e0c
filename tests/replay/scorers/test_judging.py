"""Which cases the scorers of a set can judge at all."""

import pytest

from replay.scorers.judging import why_unjudged
from replay.scorers.table import build_scorer
from replay.types import Case, Message

CHOICE = build_scorer("choice", {"choices": ["Yes", "No"]})
MUST = build_scorer("must", {})
EXACT = build_scorer("exact", {})
NUMERIC = build_scorer("numeric", {})


def case(
    references: tuple[str, ...] = (), *, must_include: tuple[str, ...] = (), must_not: tuple[str, ...] = ()
) -> Case:
    asked = (Message(role="user", content="?"),)
    return Case(id="c", input=asked, references=references, must_include=must_include, must_not=must_not)


@pytest.mark.parametrize(
    ("given", "scorer"),
    [
        (case(("yes",)), CHOICE),
        (case(("Within 30 days.",)), EXACT),
        (case(("about 42",)), NUMERIC),
        (case(must_include=("30 days",)), MUST),
        (case(must_not=("anything else",)), MUST),
        (case(must_not=("anything",)), MUST),
    ],
)
def test_a_case_with_what_a_scorer_needs_is_judged(given: Case, scorer: object) -> None:
    assert why_unjudged(given, [scorer]) is None  # type: ignore[list-item]


@pytest.mark.parametrize(
    ("given", "scorer", "why"),
    [
        (case(("Yes, within 30 days.",)), CHOICE, "choice: a reference of the case is not one of the choices"),
        (case(("soon",)), NUMERIC, "numeric: no reference of the case has a number"),
        (case(("Within 30 days.",)), MUST, "must: the case has no must_include and no must_not"),
        (case(must_include=("30 days",)), EXACT, "exact: the case has no reference"),
    ],
)
def test_a_case_without_it_is_not_and_the_scorer_says_why(given: Case, scorer: object, why: str) -> None:
    assert (why_unjudged(given, [scorer]) or "").startswith(why)  # type: ignore[list-item]


def test_one_scorer_of_several_is_enough_and_without_scorers_nothing_is_said() -> None:
    prose = case(("Within 30 days.",))
    assert why_unjudged(prose, [CHOICE, EXACT]) is None
    assert "; " in (why_unjudged(prose, [CHOICE, MUST]) or "")
    assert why_unjudged(prose, []) is None
