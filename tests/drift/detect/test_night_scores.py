"""Shared scores of nights are those that each step would compute for its own window."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from monitor.drift.detect.history import History
from monitor.drift.detect.night_scores import (
    failure_scores,
    failure_spread,
    night_behaviour,
    night_scores,
    night_spread,
    score_members,
)
from monitor.drift.detect.nightly_history import build_nights
from monitor.drift.detect.window import Window
from monitor.stats.behaviour import behaviour_scores
from monitor.stats.conformal_z import conformal_scores
from monitor.stats.failure_mix import class_tally
from monitor.stats.two_versions import known_change
from tests.drift.builders import POLICY
from tests.drift.nights import quiet, rows

NIGHTS, CASES = 14, 40
WINDOWS = [(0, 3), (0, 14), (0, 8), (5, 9), (5, 14), (8, 12)]


def history(*, graded: bool = False) -> History:
    """Three categories, and another version from night 8 on."""
    passes = quiet(NIGHTS, CASES)
    names = tuple(f"category-{n % 3}" for n in range(CASES))
    versions: list[str | None] = [*["A"] * 8, *["B"] * 6]
    found = rows(passes * 0.75 if graded else passes, versions, categories=names)
    return build_nights(found, replace(POLICY, baseline_nights=4)).history


@pytest.mark.parametrize("graded", [False, True], ids=["passes", "graded"])
def test_the_scores_of_a_window_are_its_own_whatever_was_asked_before(graded: bool) -> None:
    shared = history(graded=graded)
    members, everyone = score_members(shared), np.ones((CASES, 1))
    for start, end in WINDOWS:
        window, tally = Window(start=start, end=end), shared.tally.between(start, end)
        failed = class_tally(shared.failures["wrong_answer"], shared.labelled_count).between(start, end)
        for mine, own in [
            (night_scores(shared, window), conformal_scores(tally, members)),
            (night_behaviour(shared, window), behaviour_scores(tally)),
            (failure_scores(shared, "wrong_answer", window), conformal_scores(failed, everyone)),
        ]:
            assert_allclose(mine.z, own.z, atol=1e-9)
            assert_allclose(mine.square, own.square, atol=1e-9)


def test_the_spread_of_two_windows_is_that_of_their_tallies() -> None:
    shared = history()
    before, after = Window(start=0, end=8), Window(start=8, end=13)
    failed = class_tally(shared.failures["wrong_answer"], shared.labelled_count)
    for mine, tally, members in [
        (night_spread(shared, before, after), shared.tally, score_members(shared)),
        (failure_spread(shared, "wrong_answer", before, after), failed, np.ones((CASES, 1))),
    ]:
        own = known_change.night_spread(tally.between(0, 8), tally.between(8, 13), members)
        assert_allclose(mine.square, own.square, atol=1e-9)
        assert mine.nights.tolist() == own.nights.tolist()
