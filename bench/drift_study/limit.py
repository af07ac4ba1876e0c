"""The practical limit: a CUSUM of the overall pass rate that knows everything but the night of the change.

It knows the rate before, the size of the drop and the sampling variance of a night, and spends all its alpha on one
channel. Its threshold is not known until the detector's own false-alarm rate has been measured, so that every run
counts for a whole grid of thresholds; the report reads the one with equal false alarms.
"""

import numpy as np
from numpy.typing import NDArray

from bench.drift_study.cases import Floats, Ints
from bench.drift_study.tally import Tally
from bench.drift_study.world import History, true_means

THRESHOLDS = np.arange(0.5, 15.0, 0.05)
SIZES = (0.02, 0.03, 0.04, 0.05)


def cusum(history: History, size: float) -> Floats:
    """[monitored]: the CUSUM's height after each night, for a drop of `size`."""
    cell = history.cell
    first = history.paths.passing[cell.baseline]
    sd = float(np.sqrt((first * (1.0 - first)).sum() / cell.k) / cell.n)
    step = size / sd
    nightly = history.passes[cell.baseline :].sum(axis=1) / (cell.n * cell.k)
    fallen = (float(true_means(history)[cell.baseline]) - nightly) / sd
    height, heights = 0.0, np.empty(len(fallen))
    for night, by in enumerate(fallen):
        height = max(0.0, height + step * float(by) - step * step / 2.0)
        heights[night] = height
    return heights


def count_null(history: History, tally: Tally) -> None:
    """How many thresholds an identical model crosses, for each size of drop that may be waited for."""
    for size in SIZES:
        crossed = cusum(history, size).max() >= THRESHOLDS
        tally.add_vector(f"crossed_{size:g}", crossed)


def count_delay(history: History, tally: Tally) -> None:
    """Nights until the drop is found, at each threshold not crossed before."""
    heights = cusum(history, history.cell.size)
    since = history.cell.change_night - history.cell.baseline
    clean = heights[:since].max(initial=0.0) < THRESHOLDS
    delays = _first_crossing(heights[since:])
    tally.add_vector("clean", clean)
    tally.add_vector("delays", np.where(clean, delays, 0))


def _first_crossing(heights: Floats) -> Ints:
    """For each threshold: nights until it is reached, 1 for the first; all nights there were when it never is."""
    reached: NDArray[np.bool_] = np.maximum.accumulate(heights)[:, None] >= THRESHOLDS[None, :]
    first = np.where(reached.any(axis=0), reached.argmax(axis=0) + 1, len(heights))
    return np.asarray(first, dtype=np.int64)
