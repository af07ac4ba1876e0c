import pytest
from hypothesis import given
from hypothesis import strategies as st

from replay.evalsets.dynamic import build
from replay.types import Case
from tests.replay.evalsets.builders import case

few_cases = st.lists(st.sampled_from("abcdefgh"), unique=True).map(lambda ids: [case(case_id) for case_id in ids])


def ids(cases: tuple[Case, ...]) -> list[str]:
    return [made.id for made in cases]


def test_the_newest_accepted_come_first_and_the_oldest_leave() -> None:
    result = build([case("c"), case("b"), case("a")], [case("e"), case("d")], max_cases=4)
    assert ids(result.cases) == ["e", "d", "c", "b"]
    assert result.entered == ("e", "d")
    assert result.left == ("a",)
    assert result.changed


def test_a_case_that_is_still_accepted_is_carried_over_once() -> None:
    result = build([case("b"), case("a")], [case("c"), case("b")], max_cases=10)
    assert ids(result.cases) == ["c", "b", "a"]
    assert result.entered == ("c",)
    assert result.left == ()


def test_a_corrected_case_replaces_its_old_content() -> None:
    result = build([case("a", reference="yes")], [case("a", reference="no")], max_cases=10)
    assert result.cases == (case("a", reference="no"),)
    assert result.replaced == ("a",)
    assert (result.entered, result.left, result.changed) == ((), (), True)


def test_nothing_new_changes_nothing() -> None:
    assert not build([case("b"), case("a")], [case("b"), case("a")], max_cases=10).changed
    assert not build([case("b"), case("a")], [], max_cases=10).changed


def test_more_accepted_than_the_limit_push_the_older_accepted_out() -> None:
    result = build([case("a")], [case("d"), case("c"), case("b")], max_cases=2)
    assert ids(result.cases) == ["d", "c"]
    assert result.left == ("a",)


def test_a_set_has_room_for_one_case_at_least() -> None:
    with pytest.raises(ValueError, match="max_cases must be at least 1, it is 0"):
        build([], [], max_cases=0)


@given(few_cases, few_cases, st.integers(1, 10))
def test_entered_and_left_explain_the_difference_exactly(
    previous: list[Case], accepted: list[Case], limit: int
) -> None:
    result = build(previous, accepted, limit)
    before, now = {made.id for made in previous}, set(ids(result.cases))
    assert now == (before | set(result.entered)) - set(result.left)
    assert set(result.entered) == now - before
    assert len(result.cases) == len(now) == min(limit, len(before | {made.id for made in accepted}))


@given(few_cases, few_cases, st.integers(1, 10))
def test_building_again_from_the_same_corrections_changes_nothing(
    previous: list[Case], accepted: list[Case], limit: int
) -> None:
    once = build(previous, accepted, limit)
    again = build(once.cases, accepted, limit)
    assert again.cases == once.cases
    assert not again.changed
