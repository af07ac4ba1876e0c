"""A judge between the model and the score, for figure 6: it errs a little, and it may have moved.

The outcomes of the world are what the old judge would say on a good day. Every judging flips a verdict with chance
NOISE / 2, so that judging the same output twice disagrees in about NOISE of the cases. A judge that moved also fails
a share of what used to pass, so that the rate falls by `judge_size` with nothing wrong in the model.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bench.drift_study.cases import Floats
from bench.drift_study.world import History, true_means

NOISE = 0.02
CALIBRATION = 600  # outputs judged twice by the old judge

Samples = NDArray[np.float64]  # [nights, cases, k], 0 or 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    before: Samples
    after: Samples
    stored: Floats
    rejudged: Floats
    calibration_flips: int
    calibration_n: int


def sample_outcomes(history: History) -> Samples:
    """[nights, cases, k]: each sample by itself, NaN where there is none."""
    place = np.arange(history.cell.k)
    outcomes = (place < history.passes[..., None]).astype(np.float64)
    outcomes[(place >= history.samples[..., None]) | ~history.scored[..., None]] = np.nan
    return outcomes


def judge(history: History) -> Judged:
    """What the old judge said before the change, what today's says after it, and stored outputs judged again."""
    cell = history.cell
    rng = np.random.default_rng([history.seed, 6])
    moved = cell.judge_size / float(true_means(history)[0])
    truth = sample_outcomes(history)
    before, after = truth[: cell.baseline], truth[cell.baseline + cell.after :]
    outputs = rng.permutation(before.ravel())[: cell.rejudged]
    return Judged(
        before=_verdicts(before, 0.0, rng),
        after=_verdicts(after, moved, rng),
        stored=_verdicts(outputs, 0.0, rng),
        rejudged=_verdicts(outputs, moved, rng),
        calibration_flips=int(rng.binomial(CALIBRATION, NOISE * (1.0 - NOISE / 2.0))),
        calibration_n=CALIBRATION,
    )


def _verdicts(truth: Floats, moved: float, rng: np.random.Generator) -> Floats:
    """The judge's word on each output; `moved` is the share of good ones that today's judge fails."""
    failed = np.where(rng.random(truth.shape) < moved, 0.0, truth)
    return np.where(rng.random(truth.shape) < NOISE / 2.0, 1.0 - failed, failed)
