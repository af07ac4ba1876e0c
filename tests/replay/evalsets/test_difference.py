from dataclasses import replace

from hypothesis import given

from replay.evalsets.canonical import revision_hash
from replay.evalsets.difference import difference
from replay.types import Case
from tests.replay.evalsets.builders import case, case_lists


def test_cases_that_came_went_and_changed_are_named_with_their_fields() -> None:
    before = [case("a"), case("b"), case("c")]
    after = [case("d"), replace(case("c"), references=("no",), tags=("new",)), case("b")]
    found = difference(before, after)
    assert (found.entered, found.left, dict(found.changed)) == (("d",), ("a",), {"c": ("references", "tags")})
    assert found.same == 1
    assert found.any


@given(case_lists, case_lists)
def test_there_is_a_difference_exactly_when_the_revisions_differ(one: list[Case], two: list[Case]) -> None:
    assert difference(one, two).any == (revision_hash(one) != revision_hash(two))
    assert not difference(one, list(reversed(one))).any
