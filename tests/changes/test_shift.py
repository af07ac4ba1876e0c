import random
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from monitor.changes.shift import Shift, find_shift, occurred_before


def shift(labels: Sequence[str], **options: Any) -> Shift | None:
    base: dict[str, Any] = {"min_part": 20, "alpha": 0.001, "distance": 0.5}
    return find_shift(labels, **(base | options))


def test_the_cut_is_where_the_labels_change() -> None:
    found = shift(["a"] * 33 + ["b"] * 27)
    assert found is not None
    assert (found.reference, found.recent) == (33, 27)
    assert found.before == {"a": 33}
    assert found.after == {"b": 27}


def test_the_p_value_is_fishers_times_the_cuts_looked_at() -> None:
    found = shift(["a"] * 20 + ["b"] * 20)
    assert found is not None
    # 39 cuts; the two extreme tables of C(40, 20) equally likely ones
    assert found.p_value == pytest.approx(39 * 2 / 137846528820)


def test_both_parts_need_their_size() -> None:
    assert shift(["a"] * 19 + ["b"] * 40) is None
    assert shift(["a"] * 40 + ["b"] * 19) is None
    assert shift([]) is None
    assert shift(["a"] * 100) is None


def test_the_distance_is_needed_besides_the_p_value() -> None:
    moved = ["a", "a", "a", "b"] * 100 + ["a", "b"] * 200
    assert shift(moved) is None
    found = shift(moved, distance=0.2)
    assert found is not None
    assert found.distance == pytest.approx(0.25, abs=0.02)


def test_a_label_must_rise_to_the_required_share() -> None:
    labels = ["no"] * 60 + ["yes", "yes", "yes", "no"] * 15
    assert shift(labels, distance=0.0, rising="yes", rising_to=0.8, min_part=40) is None
    assert shift(labels, distance=0.0, rising="yes", rising_to=0.7, min_part=40) is not None
    assert shift(labels, distance=0.0, rising="no", rising_to=0.1) is None
    assert shift(labels, distance=0.0, rising="unheard", rising_to=0.0) is None


def test_three_labels_are_compared_too() -> None:
    found = shift(["a", "b"] * 40 + ["c"] * 30)
    assert found is not None
    assert found.reference == 80
    assert found.distance == 1.0


def test_one_distribution_is_cut_no_more_often_than_alpha_allows() -> None:
    rng = random.Random(11)
    streams = (rng.choices("ab", k=120) for _ in range(400))
    assert sum(shift(stream, alpha=0.05, distance=0.0) is not None for stream in streams) <= 400 * 0.05


@given(st.lists(st.sampled_from("abc"), max_size=150))
@settings(max_examples=60, deadline=None)
def test_the_counts_of_both_parts_are_those_of_the_labels(labels: list[str]) -> None:
    found = find_shift(labels, min_part=5, alpha=1.0, distance=0.0)
    if found is None:
        return
    assert sum(found.before.values()) == found.reference >= 5
    assert sum(found.after.values()) == found.recent >= 5
    assert found.reference + found.recent == len(labels)
    assert 0.0 <= found.distance <= 1.0
    assert 0.0 <= found.p_value <= 1.0


def test_has_been_finds_a_like_stretch() -> None:
    assert occurred_before(["a"] * 20 + ["b"] * 20, ["b"] * 15, distance=0.25)
    assert not occurred_before(["a"] * 20 + ["b"] * 5, ["b"] * 15, distance=0.25)
    assert not occurred_before(["a"] * 5, ["a"] * 6, distance=0.25)
    assert not occurred_before(["a"], [], distance=0.25)
