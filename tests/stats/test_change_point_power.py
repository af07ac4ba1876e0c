"""The step that the silent evidence finds is found that often by the detector itself."""

import numpy as np
import pytest
from numpy.typing import NDArray

from monitor.stats.change_point.power import _step_needed, step_needed
from monitor.stats.change_point.shiryaev_roberts import PART, WHOLE, Mixture, shiryaev_roberts
from monitor.stats.conformal_z import Scores
from monitor.stats.studentise import studentise

NEEDED = 8.3


def found(step: float, *, before: int, candidate_onsets: int, nights: int, mixture: Mixture, paths: int = 400) -> float:
    """The share of independent paths with that step in which the evidence reaches what is needed."""
    rng = np.random.default_rng(99)
    z: NDArray[np.float64] = rng.standard_normal((before + nights, paths))
    z[0] = np.nan
    z[1:before] /= np.sqrt((z[1:before] ** 2).mean(axis=0))
    place = np.arange(before, before + nights)
    z[before:] += step * np.sqrt(before * (before + 1.0) / (place * (place + 1.0)))[:, None]
    evidence = shiryaev_roberts(studentise(Scores.of(z)), before - candidate_onsets, [mixture] * paths)
    return float((evidence.log_e[before:].max(axis=0) >= NEEDED).mean())


@pytest.mark.parametrize(
    ("before", "candidate_onsets", "nights", "mixture"), [(56, 14, 1, WHOLE), (56, 14, 7, WHOLE), (14, 4, 7, PART)]
)
def test_a_step_of_the_returned_size_is_found_in_four_of_five_paths(
    before: int, candidate_onsets: int, nights: int, mixture: Mixture
) -> None:
    step = step_needed(NEEDED, before, candidate_onsets, mixture, nights)
    assert step is not None
    assert found(
        step, before=before, candidate_onsets=candidate_onsets, nights=nights, mixture=mixture
    ) == pytest.approx(0.8, abs=0.06)


def test_more_nights_and_less_evidence_needed_find_smaller_steps() -> None:
    steps = [step_needed(needed, 30, 10, WHOLE, nights) for needed, nights in ((10.0, 1), (8.0, 1), (8.0, 3), (8.0, 7))]
    known = [step for step in steps if step is not None]
    assert known == sorted(known, reverse=True)
    assert len(set(known)) == 4
    few, many = (step_needed(8.0, before, 3, WHOLE, 1) for before in (6, 40))
    assert few is not None
    assert many is not None
    assert few > 1.5 * many, "few nights do not show how much nights differ"


def test_too_few_nights_and_evidence_that_cannot_be_reached_have_no_step() -> None:
    assert step_needed(8.0, 2, 0, WHOLE, 7) is None
    assert step_needed(float("inf"), 30, 10, WHOLE, 7) is None
    assert step_needed(60.0, 4, 1, WHOLE, 1) is None


def test_equal_arguments_give_a_cached_result() -> None:
    first = step_needed(8.01, 60, 40, WHOLE, 7)
    hits = _step_needed.cache_info().hits
    assert step_needed(8.03, 61, 41, WHOLE, 7) == first, "rounded to the same question"
    assert _step_needed.cache_info().hits == hits + 1
