import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.stats.conformal_z import conformal_z
from monitor.stats.failure_mix import Floats, MixScores, class_tally, failure_mix_z

from .tallies import everyone

NIGHTS, CASES = 12, 40


def failing(rng: np.random.Generator, rate: float, *, since: int = 0) -> Floats:
    counts = (rng.random((NIGHTS, CASES)) < rate).astype(np.float64)
    counts[:since] = 0.0
    return counts


def scored(failures: dict[str, Floats], *, baseline: int = 5, seed: int = 0) -> MixScores:
    uniforms = {name: np.random.default_rng([seed, len(name)]).random(NIGHTS) for name in failures}
    return failure_mix_z(failures, np.ones((NIGHTS, CASES)), uniforms, baseline=baseline)


def test_a_known_failure_category_is_scored_like_any_channel() -> None:
    counts = failing(np.random.default_rng(0), 0.2)
    ties = np.full(NIGHTS, 0.5)
    found = failure_mix_z({"format": counts}, np.ones((NIGHTS, CASES)), {"format": ties}, baseline=5)
    plain = conformal_z(class_tally(counts, np.ones((NIGHTS, CASES))), everyone(CASES), ties[:, None])
    np.testing.assert_allclose(found.z[1:], plain[1:])


def test_the_first_night_of_a_new_failure_category_is_left_out() -> None:
    found = scored({"format": failing(np.random.default_rng(1), 0.3, since=8)})
    assert np.flatnonzero(np.isnan(found.z[:, 0])).tolist() == [0, 8]  # on night 0 there is nothing to compare with


def test_the_nights_before_a_failure_category_are_the_yardstick_of_those_after() -> None:
    found = scored({"format": failing(np.random.default_rng(1), 0.3, since=8)})
    assert np.abs(found.z[1:8]).max() < 3.5
    assert found.z[9] > 3.5
    assert found.seen[:, 0].tolist() == [False] * 8 + [True] * 4


def test_a_category_seen_in_the_baseline_keeps_its_first_night() -> None:
    found = scored({"format": failing(np.random.default_rng(1), 0.3, since=3)})
    assert not np.isnan(found.z[3, 0])


def test_a_surge_is_positive_and_a_category_that_goes_away_negative() -> None:
    rng = np.random.default_rng(2)
    surge, fading = failing(rng, 0.1), failing(rng, 0.5)
    surge[-1, :20], fading[-1] = 1.0, 0.0
    found = scored({"format": surge, "refusal": fading})
    last = dict(zip(found.names, found.z[-1], strict=True))
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
    np.testing.assert_array_equal(beside.z[:, :2], alone.z)


def test_the_order_of_the_names_does_not_matter() -> None:
    rng = np.random.default_rng(4)
    failures = {name: failing(rng, 0.2) for name in ("wrong", "format", "empty")}
    one, other = scored(failures), scored(dict(reversed(failures.items())))
    assert one.names == other.names
    np.testing.assert_array_equal(one.z, other.z)
    np.testing.assert_array_equal(one.weights, other.weights)


def test_a_category_that_never_occurs_takes_no_weight() -> None:
    found = scored({"format": failing(np.random.default_rng(5), 0.2), "never": np.zeros((NIGHTS, CASES))})
    assert found.names == ("format",)
    assert found.weights == pytest.approx([0.75])


def test_no_failure_gives_no_columns() -> None:
    found = scored({})
    assert found.names == ()
    assert found.z.shape == (NIGHTS, 0)
    assert found.weights.size == 0


def test_without_a_change_the_scores_are_standard_normal() -> None:
    rng = np.random.default_rng(6)
    z = np.concatenate([scored({"a": failing(rng, 0.1)}, seed=run).z[1:, 0] for run in range(80)])
    assert abs(np.nanmean(z)) < 4.0 / np.sqrt(z.size)
    assert np.nanstd(z) == pytest.approx(1.0, abs=0.1)


def test_a_new_categorys_later_nights_are_standard_normal_although_it_was_noticed_by_its_first() -> None:
    rng = np.random.default_rng(7)
    z = []
    for run in range(300):
        found = scored({"rare": failing(rng, 0.004)}, baseline=4, seed=run)
        if found.names and not found.seen[3, 0]:
            z.append(found.z[found.seen[:, 0], 0])
    seen = np.concatenate(z)
    seen = seen[~np.isnan(seen)]
    assert seen.size > 300
    assert abs(seen.mean()) < 4.0 / np.sqrt(seen.size)
