"""The size of a change, with an interval for these cases and one for new cases like them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from monitor.domain.finding import Interval
from monitor.stats.night_tally import NightTally
from monitor.stats.normal import normal_quantile

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedChange:
    """The change. `delta` is after minus before, a fraction. `these_cases` is the interval for an infinite number of
    samples of the same cases; `new_cases` for other cases of the same kind, None with a single case.
    """

    n: int
    before: float
    after: float
    delta: float
    these_cases: Interval
    new_cases: Interval | None


def paired_change(
    before: NightTally, after: NightTally, members: NDArray[np.bool_], *, spread: float = 1.0, level: float = 0.95
) -> PairedChange | None:
    """Return the mean over cases of (rate after - rate before), on cases with samples on both sides; None without one.

    Formula:   these cases: delta +/- q sqrt(spread (V_before + V_after)), V the sampling variance of the mean given
               each case's own rate: the sum of v_i / K_i over n^2, with v the mean within-case variance. What the
               change does to v is predicted from the rates (v scales with m (1 - m)) and replaced by what the samples
               after it show, in proportion to their number. new cases: delta +/- t_{n-1} sqrt(var(d_i) / n + (spread
               - 1)(V_before + V_after)), d_i the case differences: the variance clustered by case.
    Range:     within [-1, 1]; new_cases is the wider one but for chance.
    Direction: negative is worse.
    Shapes:    tallies of n cases over any nights; members [n] bool; spread: see `known_change.night_spread`, 1 when
               nights differ by sampling alone.
    Empty:     cases without samples on one side are left out, never counted as failures.
    Smallest:  one case. The within-case variance has a floor of half a flip, so that no flips seen is not no change.
    Source:    conditional (fixed-case) and clustered standard errors: Miller, Adding Error Bars to Evals (2024),
               sections 2 and 4, https://arxiv.org/abs/2411.00640.
    Differs:   the variance after the change is shrunk as described above, since one sample a case shows none of it.

    >>> before = NightTally.of_passes(np.tile([9.0, 8.0, 5.0], (1, 1)), np.full((1, 3), 10.0))
    >>> after = NightTally.of_passes(np.array([[4.0, 8.0, 3.0]]), np.full((1, 3), 10.0))
    >>> change = paired_change(before, after, np.ones(3, dtype=bool))
    >>> round(change.delta, 3), round(change.these_cases.low, 2), round(change.these_cases.high, 2)
    (-0.233, -0.47, 0.0)
    """
    from scipy.special import stdtrit

    then, now = before.pooled(), after.pooled()
    kept = members & (then.count[0] > 0) & (now.count[0] > 0)
    n = int(kept.sum())
    if n == 0:
        return None
    old, new = _VersionSamples.of(then, kept), _VersionSamples.of(now, kept)
    differences = new.rates - old.rates
    delta = float(differences.mean())
    sampling = _sampling_variance(old, new, n)
    half = normal_quantile(0.5 + level / 2.0) * np.sqrt(spread * sampling)
    wide = None
    if n > 1:
        variance = max(float(differences.var(ddof=1)) / n, sampling) + (spread - 1.0) * sampling
        wide = _interval(delta, float(stdtrit(n - 1, 0.5 + level / 2.0)) * np.sqrt(variance))
    return PairedChange(
        n=n,
        before=float(old.rates.mean()),
        after=float(new.rates.mean()),
        delta=delta,
        these_cases=_interval(delta, half),
        new_cases=wide,
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _VersionSamples:
    """The samples of n cases before or after the change."""

    counts: Floats  # [n]
    rates: Floats  # [n]
    within: float  # mean variance of one sample around its case's rate
    degrees: float  # samples that `within` rests on

    @classmethod
    def of(cls, pooled: NightTally, kept: NDArray[np.bool_]) -> "_VersionSamples":
        count, first, second = pooled.count[0, kept], pooled.first[0, kept], pooled.second[0, kept]
        degrees = float((count - 1.0).sum())
        squares = float((second - first**2 / count).sum())
        return cls(
            counts=count,
            rates=first / count,
            within=(squares + 0.5) / (degrees + 1.0) if degrees > 0 else float("nan"),
            degrees=degrees,
        )

    def of_mean(self, within: float, n: int) -> float:
        return within * float((1.0 / self.counts).sum()) / n**2


def _sampling_variance(old: _VersionSamples, new: _VersionSamples, n: int) -> float:
    if old.degrees == 0 and new.degrees == 0:  # one sample on each side shows no repeat: as if cases had one rate
        rate = float((old.rates.mean() + new.rates.mean()) / 2.0)
        within = max(rate * (1.0 - rate), 0.5 / (n + 1.0))
        return old.of_mean(within, n) + new.of_mean(within, n)
    scale = _spread_of_rate(new) / _spread_of_rate(old)
    before, after = _shrunk(old, new.within / scale, n), _shrunk(new, old.within * scale, n)
    return old.of_mean(before, n) + new.of_mean(after, n)


def _spread_of_rate(version: _VersionSamples) -> float:
    """Return m (1 - m) of the mean rate, kept away from 0 by half a pass and half a failure."""
    n = version.counts.sum()
    rate = float(((version.rates * version.counts).sum() + 0.5) / (n + 1.0))
    return rate * (1.0 - rate)


def _shrunk(version: _VersionSamples, predicted: float, n: int) -> float:
    """Return the within-case variance of the version, shrunk towards the prediction of the other, which counts as n
    samples.
    """
    if np.isnan(predicted):
        return version.within
    own = 0.0 if version.degrees == 0 else version.within * version.degrees
    return (own + predicted * n) / (version.degrees + n)


def _interval(delta: float, half: float) -> Interval:
    return Interval(low=float(max(delta - half, -1.0)), high=float(min(delta + half, 1.0)))
