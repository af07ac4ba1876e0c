"""The repeats of simulated nights: sampling and night variance are separated, for any cases."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from monitor.drift.detect.nightly_history import build_nights
from monitor.drift.detect.noise_floor import noise_evidence, planning_noise
from monitor.stats.night_tally import NightTally
from monitor.stats.noise_floor import NoiseFloor, noise_of_sums
from replay.run.repeats import repeated_cases
from tests.drift.builders import POLICY
from tests.drift.nights import rows

Floats = NDArray[np.float64]
CASES, NIGHTS = 300, 14
CATEGORIES = {f"case-{i}": f"category {i % 7}" for i in range(CASES)}


def taken(count: int, turn: int) -> NDArray[np.bool_]:
    """[n] whose turn it is."""
    repeated = repeated_cases(CATEGORIES, count, turn, "primes")
    return np.array([case in repeated for case in CATEGORIES])


def played(
    rng: np.random.Generator, *, night_sd: float = 0.0, case_sd: float = 0.0, share: int = 30
) -> tuple[Floats, Floats, float]:
    """Passes [T, n] of the nights, those of the A/A share (NaN elsewhere), and the sampling variance there was."""
    own = 0.25 + 0.5 * rng.beta(2.0, 2.0, size=CASES)
    moods = rng.normal(scale=night_sd, size=(NIGHTS, 1)) + rng.normal(scale=case_sd, size=(NIGHTS, CASES))
    rates = np.clip(own + moods, 0.0, 1.0)
    asked, repeats = (rng.random((2, NIGHTS, CASES)) < rates).astype(np.float64)
    turns = np.array([taken(share, t) for t in range(NIGHTS)])
    return asked, np.where(turns, repeats, np.nan), float((rates * (1.0 - rates)).mean())


def floor(asked: Floats, repeats: Floats) -> NoiseFloor:
    once = np.ones_like(asked)
    return noise_of_sums(NightTally.of_passes(asked, once), NightTally.of_passes(repeats, once))


@pytest.mark.parametrize(("night_sd", "case_sd"), [(0.0, 0.0), (0.06, 0.0), (0.0, 0.2), (0.06, 0.2)])
def test_sampling_cases_and_nights_are_separated(night_sd: float, case_sd: float) -> None:
    found, truth, covered = [], [], []
    for run in range(80):
        asked, repeats, sampling = played(np.random.default_rng([run, 9]), night_sd=night_sd, case_sd=case_sd)
        reported = floor(asked, repeats)
        assert reported.within_interval is not None
        assert reported.night_interval is not None
        found.append((reported.within_variance, reported.cell_variance, reported.night_variance))
        truth.append(sampling)
        covered.append(
            (
                reported.within_interval[0] <= sampling <= reported.within_interval[1],
                reported.night_interval[0] <= night_sd**2 <= reported.night_interval[1],
            )
        )
    within, cell, night = np.mean(np.array(found, dtype=np.float64), axis=0)
    assert within == pytest.approx(np.mean(truth), rel=0.03)
    assert cell - within == pytest.approx(case_sd**2, abs=0.006)
    assert night == pytest.approx(night_sd**2, rel=0.15, abs=0.0002)
    assert (np.mean(covered, axis=0) >= 0.88).all()


def test_nights_alone_cannot_separate_sampling_from_moving_cases() -> None:
    asked, repeats, sampling = played(np.random.default_rng(3), case_sd=0.25)
    alone, reported = noise_of_sums(NightTally.of_passes(asked, np.ones_like(asked))), floor(asked, repeats)
    assert (alone.within_variance, alone.case_night_variance) == (None, None)
    assert alone.cell_variance is not None
    assert reported.within_variance is not None
    assert reported.case_night_variance is not None
    assert alone.cell_variance > sampling + 0.03
    assert reported.within_variance == pytest.approx(sampling, abs=0.03)
    assert reported.case_night_variance > 0.01


def test_more_repeats_of_a_night_do_not_promise_to_take_away_what_cases_move_between_nights() -> None:
    asked, repeats, _ = played(np.random.default_rng(4), case_sd=0.25)
    noise = planning_noise(floor(asked, repeats), 1.0)
    assert noise is not None
    assert noise.of_cell(5) > noise.of_cell(1) / 5.0 + 0.005
    assert noise.of_cell(1) == pytest.approx(noise.within_variance + noise.case_night_variance)


def test_rotating_repeats_estimate_sampling_variance_better_than_fixed_ones() -> None:
    errors = []
    for run in range(60):
        rng = np.random.default_rng([run, 5])
        own = rng.beta(0.7, 0.4, size=CASES)  # most cases nearly always pass or fail, some are torn
        asked, repeats = (rng.random((2, NIGHTS, CASES)) < own).astype(np.float64)
        in_turn = np.array([taken(30, t) for t in range(NIGHTS)])
        same, half = (
            np.tile(taken(30, 0), (NIGHTS, 1)),
            np.array([taken(15, 0) | taken(15, t + 1) for t in range(NIGHTS)]),
        )
        truth = (own * (1.0 - own)).mean()
        errors.append([_within(asked, np.where(which, repeats, np.nan)) - truth for which in (in_turn, half, same)])
    in_turn_error, half_error, same_error = np.sqrt(np.mean(np.square(errors), axis=0))
    assert in_turn_error < half_error < same_error


def _within(asked: Floats, repeats: Floats) -> float:
    found = floor(asked, repeats).within_variance
    assert found is not None
    return found


def test_a_share_without_a_single_flip_is_not_certain_that_there_is_none() -> None:
    asked = np.ones((2, CASES))
    repeats = np.where(np.array([taken(30, t) for t in range(2)]), 1.0, np.nan)
    reported = floor(asked, repeats)
    assert reported.within_variance == 0.0
    assert reported.within_interval is not None
    assert reported.within_interval[0] == 0.0
    assert reported.within_interval[1] == pytest.approx(0.5 * (1.0 - 0.025 ** (1 / 60)))


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(0, CASES))
def test_repeats_leave_what_nights_are_judged_by_alone(seed: int, share: int) -> None:
    asked, repeats, _ = played(np.random.default_rng(seed), share=share)
    without, with_share = build_nights(rows(asked), POLICY), build_nights(rows(asked, repeats=repeats), POLICY)
    assert np.array_equal(without.history.tally.count, with_share.history.tally.count)
    assert np.array_equal(without.history.tally.first, with_share.history.tally.first)
    assert with_share.repeats.count.sum() == NIGHTS * share
    reported = floor(asked, repeats)
    assert (reported.repeated_cells, reported.within_variance is None) == (NIGHTS * share, share == 0)


def test_the_evidence_has_the_flip_rate_of_one_night() -> None:
    asked, repeats, sampling = played(np.random.default_rng(6), night_sd=0.02)
    nights = build_nights(rows(asked, repeats=repeats), POLICY)
    reported = noise_evidence(nights.history.tally, nights.repeats)
    assert reported is not None
    assert reported.flip_rate == pytest.approx(2.0 * sampling, abs=0.06)
    assert reported.flip_rate is not None
    assert reported.flip_interval is not None
    assert reported.flip_interval[0] < reported.flip_rate < reported.flip_interval[1]
    assert reported.repeats == NIGHTS * 30


def test_one_night_is_enough_for_the_sampling_variance() -> None:
    asked, repeats, _ = played(np.random.default_rng(7))
    reported = floor(asked[:1], repeats[:1])
    assert reported.within_variance is not None
    assert (reported.cell_variance, reported.night_variance) == (None, None)
    noise = planning_noise(reported, 1.0)
    assert noise is not None
    assert noise.within_variance == reported.within_variance


def test_graded_scores_have_repeats_but_no_flips() -> None:
    asked = np.random.default_rng(8).choice([0.0, 0.3, 1.0], size=(6, CASES))
    repeats = np.where(np.array([taken(30, t) for t in range(6)]), 0.3, np.nan)
    nights = build_nights(rows(asked, repeats=repeats), POLICY)
    reported = noise_evidence(nights.history.tally, nights.repeats)
    assert reported is not None
    assert reported.within_variance == pytest.approx(np.mean((asked - 0.3) ** 2) / 2.0, abs=0.03)
    assert (reported.flip_rate, reported.flip_interval) == (None, None)
