"""Many subsets of the cases of a pair: how often the verdict is the right one, and what it names."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bench.drift_study.shares import Share
from bench.real_study.nights import ALPHA, nights
from bench.real_study.pairs import Pair, Verdict
from bench.real_study.versions import Versions
from monitor.stats.two_version import TwoVersions, compare

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What one comparison says: the verdict, and the categories that fell and rose by more than chance."""

    verdict: Verdict
    fell: frozenset[str]
    rose: frozenset[str]
    delta: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """Shares of the subsets of `cases` cases, after `baseline` nights; `opposite` is a verdict of the wrong sign."""

    pair: Pair
    cases: int
    baseline: int
    right: Share
    opposite: Share
    named: Share  # of the right verdicts, those that name what fell and rose; of pairs that have no such truth, none


def judge(before: Floats, after: Floats, categories: tuple[str, ...], alpha: float = ALPHA) -> Answer:
    """The verdict on nights [Nb, n] and [Na, n]: worse where anything alarms, better where the mirror image does."""
    worse = compare(before[:, :, None], after[:, :, None], categories, alpha)
    better = compare(after[:, :, None], before[:, :, None], categories, alpha)
    return Answer(
        verdict="regression" if worse.alarm else "improvement" if better.alarm else "ok",
        fell=_alarmed(worse),
        rose=_alarmed(better),
        delta=worse.overall.delta or 0.0,
    )


def _alarmed(found: TwoVersions) -> frozenset[str]:
    return frozenset(name for name, channel in found.categories.items() if channel.alarm)


def study(pair: Pair, *, cases: int, runs: int, seed: int, baseline: int = 1, resample: float = 0.0) -> Result:
    """`runs` random subsets, each with its own nights: `baseline` before the change, one after it."""
    return tally(pair, cases, baseline, list(_answers(pair, cases, runs, seed, baseline, resample)))


def _answers(pair: Pair, cases: int, runs: int, seed: int, baseline: int, resample: float) -> Iterable[Answer]:
    versions = pair.of()
    for run in range(runs):
        part = draw(versions, cases, np.random.default_rng([seed, run]))
        before, after = _nights(pair, part, baseline, resample, seed=seed * 1_000_003 + run)
        yield judge(before, after, part.categories)


def draw(versions: Versions, cases: int, rng: np.random.Generator) -> Versions:
    """A random part, without replacement."""
    return versions.chosen(np.sort(rng.choice(len(versions.ids), size=cases, replace=False)))


def _nights(pair: Pair, part: Versions, baseline: int, resample: float, *, seed: int) -> tuple[Floats, Floats]:
    if resample == 0.0:  # what was recorded: every night of a version is the same
        return np.tile(part.passed[pair.before], (baseline, 1)), part.passed[pair.after][None, :]
    made = nights(part, [*[pair.before] * baseline, pair.after], resample=resample, seed=seed)
    return made[:baseline], made[baseline:]


def tally(pair: Pair, cases: int, baseline: int, answers: list[Answer]) -> Result:
    right = [answer for answer in answers if answer.verdict == pair.verdict]
    opposite = sum(answer.verdict not in {pair.verdict, "ok"} for answer in answers)
    named = sum(pair.fell <= answer.fell and pair.rose <= answer.rose for answer in right)
    located = len(right) if pair.fell or pair.rose else 0
    return Result(
        pair=pair,
        cases=cases,
        baseline=baseline,
        right=Share(yes=len(right), n=len(answers)),
        opposite=Share(yes=opposite, n=len(answers)),
        named=Share(yes=named if located else 0, n=located),
    )
