"""Detects another version by its behaviour: how surprising the outcomes of a night are, case by case."""

import numpy as np
from numpy.typing import NDArray

from monitor.stats.conformal_z import DrawCumulants, Scores, has_repeats, running_draw, skewed_z
from monitor.stats.night_tally import NightTally

Floats = NDArray[np.float64]
PRIOR = 0.5  # half a pass and half a failure before the first night: Jeffreys


def behaviour_scores(tally: NightTally, drawn: DrawCumulants | None = None) -> Scores:
    """Return a standard normal score of how well the outcomes of each night fit the histories of the cases.

    Formula:   the sum over cases of logit(p_i) x_i, p_i = (S_i + 1/2) / (K_i + 1) from all samples so far, tonight's
               included; given those totals x_i is a draw without replacement, so mean, variance and third cumulant of
               the sum are exact, and `skewed_z` gives the score.
    Range:     about standard normal under 'no change', independent over nights (a sum over all cases).
    Direction: negative is surprising: cases that always passed fail, cases that always failed pass, whatever the mean.
    Shapes:    tally of T nights and n cases in, one column of T scores out, float64; `drawn` is `running_draw(tally)`
               where the caller has it.
    Empty:     z is NaN on the first night (with one sample a night also on the second: a pass in two samples weighs
               nothing), and while no case has ever changed its outcome; its square is 1 then, where cases were asked
               before, as in `conformal_scores`.
    Smallest:  some twenty cases; from a hundred on, another model is typically detected on the first night.
    Source:    the statistic is the log likelihood ratio of independent Bernoulli outcomes (Good, J R Stat Soc B 14
               (1952) 107-114, weight of evidence); conditioning as in `conformal_z`.
    Differs:   another version may be better or worse: this shows only that it is another one.

    >>> steady = np.tile([1.0, 0.0], (9, 1))
    >>> odd = NightTally.of_passes(np.vstack([steady, [[0.0, 1.0]]]), np.ones((10, 2)))
    >>> round(float(behaviour_scores(odd).z[-1, 0]), 1)
    -2.6
    """
    drawn = running_draw(tally) if drawn is None else drawn
    totals, cumulants = drawn.draw.everything, drawn.cumulants
    weight = np.log((totals.first + PRIOR) / (totals.count - totals.first + PRIOR))
    deviation = (weight * (tally.first - cumulants.mean)).sum(axis=1)
    variance = (weight**2 * cumulants.variance).sum(axis=1)
    third = (weight**3 * cumulants.third).sum(axis=1)
    z = skewed_z(deviation, variance, third)[:, None]
    all_cases = np.ones((tally.count.shape[1], 1))
    certain = np.isnan(z) & has_repeats(tally, totals, all_cases)
    return Scores(z=z, square=np.where(certain, 1.0, z * z))
