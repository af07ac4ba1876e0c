import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.stats.conformal_z import conformal_scores
from monitor.stats.failure_mix import Floats, MixScores, class_tally, failure_mix_scores

from .tallies import everyone

NIGHTS, CASES = 12, 40


def failing(rng: np.random.Generator, rate: float, *, since: int = 0) -> Floats:
    counts = (rng.random((NIGHTS, CASES)) < rate).astype(np.float64)
    counts[:since] = 0.0
    return counts


def scored(failures: dict[str, Floats], *, baseline: int = 5) -> MixScores:
    return failure_mix_scores(failures, np.ones((NIGHTS, CASES)), baseline=baseline)


def test_a_known_failure_category_is_scored_like_any_channel() -> None:
    counts = failing(np.random.default_rng(0), 0.2)
    found = scored({"format": counts})
    plain = conformal_scores(class_tally(counts, np.ones((NIGHTS, CASES))), everyone(CASES))
    np.testing.assert_allclose(found.scores.z[1:], plain.z[1:])


def test_the_first_night_of_a_new_failure_category_is_left_out() -> None:
    found = scored({"format": failing(np.random.default_rng(1), 0.3, since=8)})
    assert np.flatnonzero(np.isnan(found.scores.z[:, 0])).tolist() == [*range(9)]  # silence before it says nothing
    assert np.flatnonzero(np.isnan(found.scores.square[:, 0])).tolist() == [0, 8]  # but is a yardstick


def test_the_nights_before_a_failure_category_are_the_yardstick_of_those_after() -> None:
    found = scored({"format": failing(np.random.default_rng(1), 0.3, since=8)})
    assert (found.scores.square[1:8] == 1.0).all()
    assert found.scores.z[9] > 3.5
    assert found.seen[:, 0].tolist() == [False] * 8 + [True] * 4


def test_a_category_of_the_baseline_keeps_its_first_night() -> None:
    found = scored({"format": failing(np.random.default_rng(1), 0.3, since=3)})
    assert not np.isnan(found.scores.z[3, 0])


def test_a_surge_is_positive_and_a_category_that_goes_away_negative() -> None:
    rng = np.random.default_rng(2)
    surge, fading = failing(rng, 0.1), failing(rng, 0.5)
    surge[-1, :20], fading[-1] = 1.0, 0.0
    found = scored({"format": surge, "refusal": fading})
    last = dict(zip(found.names, found.scores.z[-1], strict=True))
    assert last["format"] > 3.0
    assert last["refusal"] < -3.0


@given(st.lists(st.integers(0, NIGHTS - 1), min_size=1, max_size=8), st.integers(1, 10))
def test_weights_never_exceed_one_and_the_newer_weighs_less(first: list[int], baseline: int) -> None:
    failures = {f"class-{i}": np.zeros((NIGHTS, CASES)) for i in range(len(first))}
    for counts, night in zip(failures.values(), first, strict=True):
        counts[night:, 0] = 1.0
    found = scored(failures, baseline=baseline)
    assert found.weights.sum() <= 1.0 + 1e-12
    assert (found.weights > 0.0).all()
    late = found.weights[sum(night < baseline for night in first) :]
    assert (np.diff(late) < 0.0).all()


def test_a_category_that_appears_later_changes_neither_weights_nor_scores_of_the_others() -> None:
    rng = np.random.default_rng(3)
    known = {"format": failing(rng, 0.2), "refusal": failing(rng, 0.3, since=7)}
    alone, beside = scored(known), scored({**known, "made_up": failing(rng, 0.2, since=9)})
    assert beside.names[:2] == alone.names
    np.testing.assert_array_equal(beside.weights[:2], alone.weights)
    np.testing.assert_array_equal(beside.scores.z[:, :2], alone.scores.z)


def test_the_order_of_the_names_does_not_matter() -> None:
    rng = np.random.default_rng(4)
    failures = {name: failing(rng, 0.2) for name in ("wrong", "format", "empty")}
    one, other = scored(failures), scored(dict(reversed(failures.items())))
    assert one.names == other.names
    np.testing.assert_array_equal(one.scores.z, other.scores.z)
    np.testing.assert_array_equal(one.weights, other.weights)


def test_a_category_that_never_occurs_takes_no_weight() -> None:
    found = scored({"format": failing(np.random.default_rng(5), 0.2), "never": np.zeros((NIGHTS, CASES))})
    assert found.names == ("format",)
    assert found.weights == pytest.approx([0.75])


def test_no_failure_gives_no_columns() -> None:
    found = scored({})
    assert found.names == ()
    assert found.scores.z.shape == (NIGHTS, 0)
    assert found.weights.size == 0


def test_without_a_change_the_scores_are_standard_normal() -> None:
    rng = np.random.default_rng(6)
    z = np.concatenate([scored({"a": failing(rng, 0.1)}).scores.z[1:, 0] for _ in range(80)])
    assert abs(np.nanmean(z)) < 4.0 / np.sqrt(z.size)
    assert np.nanstd(z) == pytest.approx(1.0, abs=0.1)


def test_a_new_categorys_later_nights_are_standard_normal_although_it_was_noticed_by_its_first() -> None:
    rng = np.random.default_rng(7)
    z = []
    for _ in range(300):
        found = scored({"rare": failing(rng, 0.004)}, baseline=4)
        if found.names and not found.seen[3, 0]:
            z.append(found.scores.z[found.seen[:, 0], 0])
    seen = np.concatenate(z)
    seen = seen[~np.isnan(seen)]
    assert seen.size > 300
    assert abs(seen.mean()) < 4.0 / np.sqrt(seen.size)
