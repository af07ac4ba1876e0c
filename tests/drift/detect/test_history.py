from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.drift.backtest_json import read_history
from monitor.drift.detect.history import History, version_segments
from tests.drift.histories import document, labelled

texts = st.sampled_from(["a", "b"])
served = st.lists(st.tuples(texts, texts), min_size=1, max_size=12)


def history(nights: int = 4, **fields: object) -> History:
    return read_history(document([[1, 0, 1]] * nights, **fields))


@given(served)
def test_stretches_cover_all_nights_once_and_in_order(nights: list[tuple[str, str]]) -> None:
    cut_up = version_segments(*zip(*nights, strict=True))
    assert cut_up[0].start == 0
    assert cut_up[-1].end == len(nights)
    assert all(one.end == other.start for one, other in pairwise(cut_up))


@given(served)
def test_within_a_stretch_nothing_changes_and_between_two_something_does(nights: list[tuple[str, str]]) -> None:
    for segment in version_segments(*zip(*nights, strict=True)):
        assert len(set(nights[segment.start : segment.end])) == 1
        before = nights[segment.start - 1] if segment.start else nights[0]
        assert segment.new_version == (before[0] != nights[segment.start][0])
        assert segment.new_judge == (before[1] != nights[segment.start][1])
        assert segment.start == 0 or segment.new_version or segment.new_judge


def test_versions_and_judges_of_different_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="shorter"):
        version_segments(["a", "a"], ["j"])


def test_no_nights_have_no_stretches() -> None:
    assert version_segments([], []) == []


def test_a_history_is_labelled_when_somebody_named_its_failures() -> None:
    assert not history().labelled_before(4)
    assert read_history(labelled(document([[1, 0, 1]] * 4))).labelled_before(4)
    assert read_history(labelled(document([[1, 1, 1]] * 4))).labelled_before(4)  # nothing failed, which was looked at


def test_labels_count_from_the_night_after_the_first_of_them() -> None:
    named = np.zeros((6, 3))
    named[3, 1] = 1.0
    found = replace(history(nights=6), failures={"format": named}, labelled_samples=None)
    assert [found.labelled_before(night) for night in range(6)] == [False, False, False, False, True, True]
