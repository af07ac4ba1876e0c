"""Figures 6 and 7: what is blamed, and how good the interval of the change is."""

from collections.abc import Callable
from typing import Any

import numpy as np

from bench.drift_study.document import ALPHA
from bench.drift_study.judging import judge, sample_outcomes
from bench.drift_study.tally import Tally
from bench.drift_study.world import History, true_means

VERDICTS = ("model", "judge", "both", "none", "not_identifiable")
Z95 = 1.959964

Attribute = Callable[..., Any]
Compare = Callable[..., Any]


def count_blame(history: History, attribute: Attribute, tally: Tally) -> None:
    """Which of the five verdicts the attribution gives, as one event each."""
    seen = judge(history)
    blamed = attribute(
        seen.before,
        seen.after,
        seen.stored,
        seen.rejudged,
        seen.calibration_flips,
        seen.calibration_n,
        ALPHA,
    )
    for verdict in VERDICTS:
        tally.count(verdict, str(blamed.cause) == verdict)


def count_interval(history: History, compare: Compare, tally: Tally) -> None:
    """Whether the interval covers the change of these cases, and its width against that of unpaired samples."""
    cell = history.cell
    outcomes = sample_outcomes(history)
    before, after = outcomes[: cell.change_night], outcomes[cell.change_night :]
    overall = compare(before, after, history.cases.category, ALPHA).overall
    means = true_means(history)
    change = float(means[cell.change_night] - means[0])
    low, high = overall.ci.low, overall.ci.high
    tally.count("covered", low <= change <= high)
    tally.count("alarm", bool(overall.alarm))
    tally.add("width", high - low)
    tally.add("width_ratio", (high - low) / unpaired_width(before, after))


def unpaired_width(
    before: np.ndarray[Any, np.dtype[np.float64]], after: np.ndarray[Any, np.dtype[np.float64]]
) -> float:
    """Width of the interval of two independent proportions, as if each sample were of a case of its own."""
    variance = 0.0
    for outcomes in (before, after):
        rate, n = float(np.nanmean(outcomes)), int(np.isfinite(outcomes).sum())
        variance += rate * (1.0 - rate) / n
    return float(2.0 * Z95 * np.sqrt(variance))
