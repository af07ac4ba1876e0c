"""Detects a changed judge: the same stored outputs, judged again."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from monitor.domain.finding import Interval
from monitor.stats.two_versions.paired_interval import tango_interval

Floats = NDArray[np.float64]
Z95 = 1.959963984540054
SAME = 1e-9  # verdicts closer than this are one verdict, written twice


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeShift:
    """The shift on `n` outputs with both verdicts; `delta` is the mean of new minus stored verdict, `ci` its 95 %
    interval.

    `p_stricter` and `p_kinder` are one-sided: the probability of as many verdicts that fell (rose) by noise alone.
    `noise` is the flip rate of an unchanged judge, as far as it is known. `graded` is whether a verdict was anything
    but 0 and 1.
    """

    n: int
    fell: int
    rose: int
    delta: float
    se: float
    ci: Interval
    p_stricter: float
    p_kinder: float
    noise: float
    graded: bool

    @property
    def flip_rate(self) -> float:
        return (self.fell + self.rose) / self.n


def judge_shift(stored: Floats, rejudged: Floats, calibration_flips: int, calibration_n: int) -> JudgeShift | None:
    """Return how far the verdicts on the same outputs moved; None when no output has two verdicts.

    Formula:   a judge that did not move flips n outputs at the rate of its calibration, as often up as down. Given all
               flips, those that fell, those that rose and the calibration's are then Multinomial with shares
               n/2 : n/2 : N, so that fell ~ Binomial(fell + rose + calibration_flips, n/2 / (n + N)). p_stricter is its
               upper tail (mid-p), p_kinder the same of what rose: flips beyond calibration and net shift in one number.
    Range:     delta in [-1, 1]; p in [0, 1].
    Direction: negative delta: the judge is stricter than it was.
    Shapes:    stored[n], rejudged[n] float64 in [0, 1]; two counts.
    Empty:     a pair with a NaN is left out. Without calibration (0 of 0) the net shift alone speaks: the sign test.
    Smallest:  without noise, five outputs that fell and none that rose give p = 0.016 uncalibrated; with a calibration
               of N = n and no flip in it, three give 0.008.
    Source:    comparison of Poisson rates given their sum: Przyborowski and Wilenski, Biometrika 31 (1940) 313-323;
               mid-p: Lancaster, J Am Stat Assoc 56 (1961) 223-234. Interval: `tango_interval`.
    Differs:   Poisson for binomial flips: conservative, the more so the noisier the judge. Graded verdicts enter the
               p-values by their direction, delta by their size (normal interval).

    >>> stored = np.ones(300)
    >>> rejudged = np.where(np.arange(300) < 12, 0.0, 1.0)
    >>> shift = judge_shift(stored, rejudged, calibration_flips=6, calibration_n=300)
    >>> shift.delta, round(shift.p_stricter, 4), round(shift.p_kinder, 2)
    (-0.04, 0.0001, 1.0)
    """
    _check(stored, rejudged, calibration_flips, calibration_n)
    both = np.isfinite(stored) & np.isfinite(rejudged)
    n = int(both.sum())
    if n == 0:
        return None
    moves = rejudged[both] - stored[both]
    fell, rose = int((moves < -SAME).sum()), int((moves > SAME).sum())
    graded = bool(np.any((stored[both] % 1.0 != 0.0) | (rejudged[both] % 1.0 != 0.0)))
    delta, se = float(moves.mean()), _standard_error(moves, graded=graded)
    return JudgeShift(
        n=n,
        fell=fell,
        rose=rose,
        delta=delta,
        se=se,
        ci=_normal_interval(delta, se) if graded else tango_interval(fell, rose, n),
        p_stricter=_excess_p(fell, rose + calibration_flips, n / 2.0, n / 2.0 + calibration_n),
        p_kinder=_excess_p(rose, fell + calibration_flips, n / 2.0, n / 2.0 + calibration_n),
        noise=_noise(fell, rose, n, calibration_flips, calibration_n),
        graded=graded,
    )


def p_judge_alone(shift: JudgeShift, drops: Floats, weights: Floats) -> float:
    """Return the one-sided probability of a shift as small as this one if the judge had caused the whole drop.

    Formula:   sum_j w_j P(X <= fell), X ~ Poisson(n (noise / 2 + drop_j)); for graded verdicts the normal tail
               Phi((-drop_j - delta) / se) from above.
    Range:     [0, 1]; small means that the judge alone does not explain a drop of these sizes.
    Shapes:    drops[J] > 0 and weights[J] that sum to one, float64.
    Empty:     `shift` has at least one output.
    Smallest:  a drop of three points needs about 100 outputs of a silent judge before 0.05 is reached.
    Source:    exact Poisson tail; the weights are the posterior of the drop's size (prior predictive p-value: Box,
               J R Stat Soc A 143 (1980) 383-430).
    Differs:   verdicts that rose are not set off against those that fell: a judge that fails more outputs by some share
               makes that many fall whatever else it does.

    >>> quiet = judge_shift(np.ones(300), np.ones(300), 0, 300)
    >>> round(p_judge_alone(quiet, np.array([0.03]), np.array([1.0])), 5)
    0.0001
    """
    from scipy.special import ndtr, pdtr

    if shift.graded:
        spread = np.sqrt(shift.se**2 + drops * (1.0 - drops) / shift.n)
        tails = ndtr(-(shift.delta + drops) / spread)
    else:
        tails = pdtr(shift.fell, shift.n * (shift.noise / 2.0 + drops))
    return float(np.sum(weights * tails))


def _check(stored: Floats, rejudged: Floats, flips: int, n: int) -> None:
    if stored.shape != rejudged.shape or stored.ndim != 1:
        raise ValueError(
            f"every stored verdict is judged again once: {stored.shape} stored, {rejudged.shape} judged again"
        )
    for name, verdicts in (("stored", stored), ("rejudged", rejudged)):
        if np.any((verdicts < 0.0) | (verdicts > 1.0)):
            raise ValueError(f"{name} has a verdict outside 0 to 1")
    if not 0 <= flips <= n:
        raise ValueError(f"{flips} flips among {n} calibrated outputs are impossible")


def _excess_p(more: int, others: int, exposure: float, others_exposure: float) -> float:
    """Return the mid-p of 'the rate of `more` is no higher than that of `others`', given the sum of both."""
    from scipy.special import bdtrc

    total, share = more + others, exposure / (exposure + others_exposure)
    above = float(bdtrc(more, total, share))
    at_least = float(bdtrc(more - 1, total, share)) if more else 1.0
    return (above + at_least) / 2.0


def _noise(fell: int, rose: int, n: int, calibration_flips: int, calibration_n: int) -> float:
    """Return the flip rate of an unchanged judge. The direction with fewer flips shows noise alone; half a flip avoids
    zero.
    """
    quiet = min(fell, rose)
    return min(1.0, (calibration_flips + quiet + 0.5) / (calibration_n + n / 2.0))


def _standard_error(moves: Floats, *, graded: bool) -> float:
    """Return the standard error of the mean shift; without any shift half a flip is counted."""
    n = moves.size
    squares = float((moves**2).sum()) + (0.0 if graded and np.any(moves) else 0.5)
    return math.sqrt(max(squares / n - float(moves.mean()) ** 2, 0.25 / n) / n)


def _normal_interval(delta: float, se: float) -> Interval:
    return Interval(low=max(-1.0, delta - Z95 * se), high=min(1.0, delta + Z95 * se))
