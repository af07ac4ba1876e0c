"""A collapse is detected on its first night, for any earlier nights."""

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from monitor.drift.detect.collapse import collapse_log_e, night_falls
from monitor.stats.conformal_z import Scores, conformal_scores
from monitor.stats.night_tally import NightTally
from tests.drift.histories import Document, Floats, alerts, document, regressions, served

LOG_NEEDED = 7.2
BASELINE = 14


def first_fall(line: Document) -> dict[str, Any] | None:
    return next(iter(regressions(line)), None)


def falling(cases: int, rate: float, by: float, *, nights: int, since: int, seed: int) -> Document:
    """Every case passes with the same probability; on the night `since` exactly `by` of the cases fall."""
    rng = np.random.default_rng(seed)
    passing = round(rate * cases)
    rows = np.zeros((nights, cases), dtype=np.int64)
    for night in range(nights):
        rows[night, :passing] = 1
    noisy = rng.random((nights, cases)) < 0.02
    rows[:since] ^= noisy[:since]
    rows[since:, : round(by * cases)] = 0
    return document(rows)


@settings(max_examples=25, deadline=None)
@given(
    cases=st.sampled_from([20, 60, 300, 3000]),
    rate=st.sampled_from([1.0, 0.9, 0.7]),
    before_change=st.integers(BASELINE, 20),
    after_change=st.integers(1, 12),
    seed=st.integers(0, 10_000),
)
def test_a_fall_of_fifty_points_is_reported_on_its_first_night_after_a_harmless_change(
    cases: int, rate: float, before_change: int, after_change: int, seed: int
) -> None:
    since = before_change + after_change
    line = falling(cases, rate, 0.5, nights=since + 1, since=since, seed=seed)
    found = first_fall(served(line, "version", "v2", before_change))
    assert found is not None
    assume(found["night"] >= since)  # few of the random histories raise a false alarm before
    assert found["night"] == since


@pytest.mark.parametrize("cases", [20, 60, 300, 3000])
@pytest.mark.parametrize("since", [BASELINE, BASELINE + 1, 40])
def test_a_fall_of_fifty_points_is_reported_on_its_first_night_without_a_change(cases: int, since: int) -> None:
    found = first_fall(falling(cases, 0.9, 0.5, nights=since + 1, since=since, seed=cases))
    assert found is not None
    assert found["night"] == since


@pytest.mark.parametrize("cases", [60, 800])
def test_a_set_that_always_passed_falls_to_nothing_after_three_nights_of_a_new_version(cases: int) -> None:
    rows = np.ones((29, cases), dtype=np.int64)
    rows[23:] = 0
    line = served(document(rows), "version", "v2", 20)
    found = [each for each in alerts(line) if each["kind"] == "score"]
    assert [(each["night"], each["onset"], each["trigger"]) for each in found] == [(23, 23, "silent")]
    assert found[0]["delta"] == -1.0


def test_a_fall_inside_the_baseline_nights_is_part_of_the_baseline() -> None:
    assert first_fall(falling(60, 0.9, 0.5, nights=10, since=9, seed=1)) is None


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.booleans(), st.integers(15, 30), st.integers(1, 40))
def test_more_failures_on_the_last_night_never_take_its_alarm_away(
    seed: int, changed: bool, nights: int, more: int
) -> None:
    rng = np.random.default_rng(seed)
    rates = np.tile(rng.beta(3.0, 0.6, size=60), (nights, 1))
    rates[-1] = np.clip(rates[-1] - rng.choice([0.15, 0.25, 0.35]), 0.0, 1.0)
    rows = (rng.random(rates.shape) < rates).astype(np.int64)
    line = document(rows)
    if changed:
        line = served(line, "version", "v2", int(rng.integers(BASELINE, nights)))
    worse = rows.copy()
    worse[-1, rng.permutation(60)[:more]] = 0
    nights_of_worse = [{**night, "passes": row} for night, row in zip(line["nights"], worse.tolist(), strict=True)]
    if any(each["night"] == nights - 1 for each in regressions(line)):
        reported = regressions({**line, "nights": nights_of_worse})
        assert any(each["night"] == nights - 1 for each in reported)


@settings(max_examples=50)
@given(st.integers(0, 10_000), st.integers(2, 8))
def test_the_size_of_a_fall_is_that_of_the_cases_of_the_night(seed: int, nights: int) -> None:
    rng = np.random.default_rng(seed)
    passes = (rng.random((nights, 6)) < 0.7).astype(float)
    samples = np.ones_like(passes)
    samples[:, 5] = 0.0
    passes[:, 5] = np.nan
    found = night_falls(NightTally.of_passes(passes, samples), np.ones((6, 1)))[:, 0]
    assert np.isnan(found[0])
    expected = [passes[:t, :5].mean() - passes[t, :5].mean() for t in range(1, nights)]
    np.testing.assert_allclose(found[1:], expected, atol=1e-12)


def test_nights_that_always_vary_widely_are_no_collapse_unless_the_fall_is_larger_than_any_mood() -> None:
    rng = np.random.default_rng(3)
    mood = np.clip(0.7 + 0.08 * rng.standard_normal(30), 0.05, 0.95)
    mood[-1] = 0.56
    passes = (rng.random((30, 400)) < mood[:, None]).astype(float)
    tally = NightTally.of_passes(passes, np.ones_like(passes))
    everyone = np.ones((400, 1))
    scores, fall = conformal_scores(tally, everyone), np.nan_to_num(night_falls(tally, everyone))
    assert scores.z[-1, 0] < -4.5
    assert not np.isfinite(collapse_log_e(scores, fall, LOG_NEEDED)[-1, 0])
    larger = fall.copy()
    larger[-1] = 0.3
    assert np.isfinite(collapse_log_e(scores, larger, LOG_NEEDED)[-1, 0])


def test_without_a_change_the_evidence_of_single_nights_is_as_rare_as_its_weight_allows() -> None:
    from scipy.special import ndtri

    rng = np.random.default_rng(4)
    z: Floats = np.asarray(ndtri(rng.random((200_000, 1))))
    found = collapse_log_e(Scores.of(z), np.full_like(z, 0.5), 3.0)
    allowed = 0.017 * np.exp(-3.0)
    assert np.isfinite(found).mean() < allowed + 4.0 * np.sqrt(allowed / z.size)
