"""How far off a measured change is, given that it raised an alarm (monitor/stats/change_point/alarm_quantiles.py).

`python -m bench.drift_study.selection` simulates the nights of one channel, in units of their own standard deviation,
and prints the tables. They belong to the templates of `monitor/stats/change_point/shiryaev_roberts.py`: run it
after a change of those.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from monitor.stats.change_point.alarm_quantiles import DROPS, LEVELS, TAIL
from monitor.stats.change_point.shiryaev_roberts import PART, WHOLE, Evidence, Mixture, shiryaev_roberts
from monitor.stats.conformal_z import Scores
from monitor.stats.studentise import studentise

BASELINE = 14
CHANGES = (20, 44, 104)  # nights before the change; a third of the paths each
AFTER = 60  # nights after it
BATCH = 300
PATHS = 6000  # of each size of drop
HELPED = 0.5  # share of the paths that get a second drop, so that rare alarms are seen: weights take it out again

Floats = NDArray[np.float64]
Nights = NDArray[np.intp]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Errors:
    """Of the alarms, arrays [A], in standard errors: `off` is the measured drop less the mean true drop of the windows
    told, `off_step` less the whole drop, which an onset told wrongly dilutes. `weight`: what each alarm stands for.
    """

    off: Floats
    off_step: Floats
    weight: Floats

    @classmethod
    def joined(cls, parts: Sequence["Errors"]) -> "Errors":
        off, step, weight = zip(*((part.off, part.off_step, part.weight) for part in parts), strict=True)
        return cls(off=np.concatenate(off), off_step=np.concatenate(step), weight=np.concatenate(weight))

    def acceptance(self) -> tuple[float, float]:
        """Ends between which `off` is in all but 5 % of the alarms, and `off_step` too: 2.5 % of `off` beyond the upper
        one, or more where the lower one, which is at most 0, leaves fewer out.
        """
        low = min(self._quantile(self.off, TAIL), 0.0)
        high = self._quantile(self.off, 1.0 - 2.0 * TAIL + self._share(self.off < low))
        of_step = self._quantile(self.off_step, 2.0 * TAIL - self._share(self.off_step > high))
        return min(low, of_step), high

    def _share(self, which: NDArray[np.bool_]) -> float:
        return float(self.weight[which].sum() / self.weight.sum())

    def _quantile(self, values: Floats, share: float) -> float:
        order = np.argsort(values)
        reached = np.cumsum(self.weight[order])
        return float(values[order][np.searchsorted(reached, share * reached[-1])])


def errors(drop: float, levels: tuple[float, ...], mixture: Mixture, *, paths: int, seed: int) -> list[Errors]:
    """Of the first alarms after a drop of that many standard deviations of one night, at each level of log evidence."""
    rng = np.random.default_rng(seed)
    batches = [
        _Batch.draw(drop, change, mixture, min(BATCH, paths // len(CHANGES) - first), rng)
        for change in CHANGES
        for first in range(0, paths // len(CHANGES), BATCH)
    ]
    return [Errors.joined([batch.errors(level) for batch in batches]) for level in levels]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Batch:
    """`falls` [T, P] are a night's drop below the level at first, `true` [T] what of it is drop by the truth asked
    about; `helped` [T, P] how much likelier the second drop makes a path until that night.
    """

    change: int
    falls: Floats
    true: Floats
    evidence: Evidence
    helped: Floats

    @classmethod
    def draw(cls, drop: float, change: int, mixture: Mixture, paths: int, rng: np.random.Generator) -> "_Batch":
        nights = change + AFTER
        true = np.where(np.arange(nights) >= change, drop, 0.0)
        noise = rng.standard_normal((nights, paths)) + _second_drops(mixture, nights, paths, rng)
        falls = noise + true[:, None]
        mixtures = [mixture] * paths
        return cls(
            change=change,
            falls=falls,
            true=true,
            evidence=shiryaev_roberts(studentise(Scores.of(_self_starting(falls))), BASELINE, mixtures),
            helped=_mean_ratio(shiryaev_roberts(_self_starting(noise), BASELINE, mixtures)),
        )

    def errors(self, level: float) -> Errors:
        crossed = self.evidence.log_e >= level
        path = np.flatnonzero(crossed.any(axis=0))
        night = crossed.argmax(axis=0)[path]
        kept = (night >= self.change) if self.true.any() else np.ones(path.size, dtype=np.bool_)
        path, night = path[kept], night[kept]
        onset = self.evidence.onset[night, path]
        error = np.sqrt(1.0 / onset + 1.0 / (night - onset + 1))
        measured = _difference(self.falls, path, onset, night)
        windows = _difference(np.repeat(self.true[:, None], self.falls.shape[1], axis=1), path, onset, night)
        return Errors(
            off=(measured - windows) / error,
            off_step=(measured - self.true[night]) / error,
            weight=1.0 / (1.0 - HELPED + HELPED * self.helped[night, path]),
        )


def _difference(falls: Floats, path: Nights, onset: Nights, night: Nights) -> Floats:
    """Mean of the nights from the onset on less that of the nights before it."""
    sums = np.concatenate([np.zeros((1, falls.shape[1])), np.cumsum(falls, axis=0)])
    since: Floats = (sums[night + 1, path] - sums[onset, path]) / (night - onset + 1)
    return since - sums[onset, path] / onset


def _second_drops(mixture: Mixture, nights: int, paths: int, rng: np.random.Generator) -> Floats:
    """[T, P]: of a random onset, kind and size, as the evidence expects them; none for the paths that get no help."""
    kinds = [(size, weight, False) for size, weight in mixture.steps] + [(size, w, True) for size, w in mixture.ramps]
    weights = np.array([weight for _, weight, _ in kinds])
    chosen = rng.choice(len(kinds), size=paths, p=weights / weights.sum())
    onset = rng.integers(BASELINE, nights, size=paths)
    since = np.arange(nights)[:, None] - onset[None, :] + 1.0
    size = np.array([size for size, _, _ in kinds])[chosen]
    ramp = np.array([is_ramp for _, _, is_ramp in kinds])[chosen]
    second = np.where(since > 0, np.where(ramp, size * since, size), 0.0)
    return np.where(rng.random(paths) < HELPED, second, 0.0)


def _self_starting(falls: Floats) -> Floats:
    """Each night against the mean of those before it, in its standard errors."""
    earlier = np.arange(1, len(falls))[:, None]
    z = np.full_like(falls, np.nan)
    z[1:] = (falls[1:] - np.cumsum(falls, axis=0)[:-1] / earlier) * np.sqrt(earlier / (earlier + 1.0))
    return z


def _mean_ratio(evidence: Evidence) -> Floats:
    """[T, P]: mean over all onsets, those to come too, of the likelihood ratio until the night."""
    nights = len(evidence.log_e)
    to_come = (nights - np.maximum(np.arange(nights) + 1, BASELINE))[:, None]
    ratio: Floats = (np.exp(np.minimum(evidence.log_e, 600.0)) + to_come) / (nights - BASELINE)
    return ratio


def tables(paths: int, seed: int) -> dict[str, list[tuple[float, ...]]]:
    """LOW and HIGH: a row for each of LEVELS, a column for each of DROPS; of the two mixtures the wider value."""
    columns = [_column(drop, paths, seed) for drop in DROPS]
    return {
        title: [tuple(round(column[row][end], 2) for column in columns) for row in range(len(LEVELS))]
        for end, title in enumerate(("LOW", "HIGH"))
    }


def _column(drop: float, paths: int, seed: int) -> list[tuple[float, float]]:
    whole, part = (errors(drop, LEVELS, mixture, paths=paths, seed=seed) for mixture in (WHOLE, PART))
    pairs = [(a.acceptance(), b.acceptance()) for a, b in zip(whole, part, strict=True)]
    return [(min(a[0], b[0]), max(a[1], b[1])) for a, b in pairs]


if __name__ == "__main__":
    for title, rows in tables(PATHS, seed=1).items():
        sys.stdout.write(f"{title} = (\n" + "".join(f"    {row},\n" for row in rows) + ")\n")
