"""Identical nights must stay quiet: at most 5 % of all histories of 180 nights hold an alarm."""

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from monitor.domain.run import CaseResult
from monitor.drift.judge.baseline import Baseline, BaselineReason
from monitor.drift.judge.compare import compare_runs, overall_p_adjusted
from tests.drift.builders import POLICY, case, find, run

Outcomes = NDArray[np.bool_]
HISTORIES, NIGHTS, CASES = 400, 180, 120
CATEGORY_OF_CASE = np.arange(CASES) % 5  # five channels beside the overall one
SILENT_ALPHA = POLICY.alpha_silent / POLICY.horizon_nights


def simulate(rng: np.random.Generator) -> Outcomes:
    """Outcomes [history, night, case] of a model that never changes; night 0 is the baseline of all others.

    Cases differ as in real sets (Beta around 0.8, intraclass correlation 0.6), and flip on their own every night.
    """
    pass_probability = rng.beta(0.8 * 2 / 3, 0.2 * 2 / 3, size=(HISTORIES, 1, CASES))
    return rng.random((HISTORIES, NIGHTS + 1, CASES)) < pass_probability


def smallest_adjusted_p(outcomes: Outcomes) -> NDArray[np.float64]:
    """Holm's smallest adjusted p-value of every night [history, night]: m times the smallest of m raw ones."""
    before, after = outcomes[:, :1], outcomes[:, 1:]
    masks = [np.ones(CASES, bool), *(np.arange(5)[:, None] == CATEGORY_OF_CASE)]
    smallest = np.ones(after.shape[:2])
    for mask in masks:
        to_fail = (before & ~after)[..., mask].sum(axis=2)
        to_pass = (~before & after)[..., mask].sum(axis=2)
        p_values = 2 * binom.cdf(np.minimum(to_fail, to_pass), to_fail + to_pass, 0.5)
        smallest = np.minimum(smallest, p_values)
    return np.minimum(1.0, len(masks) * smallest)


def rows(outcomes: Outcomes) -> list[CaseResult]:
    return [case(f"c{i:03d}", float(value), f"cat{CATEGORY_OF_CASE[i]}") for i, value in enumerate(outcomes)]


def test_a_model_that_never_changes_alarms_in_at_most_one_history_of_twenty() -> None:
    p_values = smallest_adjusted_p(simulate(np.random.default_rng(180)))
    alarmed = (p_values < SILENT_ALPHA).any(axis=1).mean()
    assert alarmed <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / HISTORIES)
    # the simulation can tell: testing every night at 0.05 breaks the budget several times over
    assert (p_values < 0.05).any(axis=1).mean() > 0.15


def test_the_simulated_p_values_are_those_of_the_real_comparison() -> None:
    rng = np.random.default_rng(181)
    outcomes = simulate(rng)
    p_values = smallest_adjusted_p(outcomes)
    baseline = Baseline(run=run(0), why=BaselineReason.FIRST_OF_VERSION)
    loudest = np.unravel_index(np.argsort(p_values, axis=None)[:20], p_values.shape)
    random = (rng.integers(HISTORIES, size=20), rng.integers(NIGHTS, size=20))
    for history, night in [*zip(*loudest, strict=True), *zip(*random, strict=True)]:
        before, after = rows(outcomes[history, 0]), rows(outcomes[history, night + 1])
        comparison = compare_runs(before, after, streaks={}, aa_discordance=None, alpha=SILENT_ALPHA)
        assert comparison is not None
        adjusted = [overall_p_adjusted(comparison), *(row.p_value_adjusted or 0.0 for row in comparison.categories)]
        assert np.isclose(min(adjusted), p_values[history, night])
        finding = find(run(1, cases=CASES), after, baseline, before)
        assert (finding.verdict != "ok") == (p_values[history, night] < SILENT_ALPHA)
