"""Many subsets of the cases of a pair: how often the verdict is right, and what it names."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bench.drift_study.shares import Share
from bench.real_study.nights import ALPHA, nights
from bench.real_study.pairs import Pair, Verdict
from bench.real_study.versions import Versions
from monitor.stats.two_versions.comparison import TwoVersions, compare

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The result of one comparison: the verdict, and the categories that fell and rose by more than chance."""

    verdict: Verdict
    fell: frozenset[str]
    rose: frozenset[str]
    founded: bool = True  # whether a channel of these cases really moved that way


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """Shares of the subsets of `cases` cases, after `baseline` nights.

    `opposite`: a verdict with the other sign than that of all cases. `unfounded`: a verdict whose direction no channel
    of these cases has. `fell`, `rose`: of the right verdicts, those that name every category that fell, or rose; empty
    when the pair has no such category.
    """

    pair: Pair
    cases: int
    baseline: int
    right: Share
    opposite: Share
    unfounded: Share
    fell: Share
    rose: Share


def judge(before: Floats, after: Floats, categories: tuple[str, ...], alpha: float = ALPHA) -> Answer:
    """Return the verdict on nights [Nb, n] and [Na, n]: worse where anything alarms, better where the reversed test
    alarms.
    """
    worse = compare(before[:, :, None], after[:, :, None], categories, alpha)
    better = compare(after[:, :, None], before[:, :, None], categories, alpha)
    return Answer(
        verdict="regression" if worse.alarm else "improvement" if better.alarm else "ok",
        fell=_alarmed(worse),
        rose=_alarmed(better),
    )


def _alarmed(found: TwoVersions) -> frozenset[str]:
    return frozenset(name for name, channel in found.categories.items() if channel.alarm)


def study(pair: Pair, *, cases: int, runs: int, seed: int, baseline: int = 1, resample: float = 0.0) -> Result:
    """Run `runs` random subsets, each with its own nights: `baseline` before the change, one after it."""
    versions = pair.of()
    answers = []
    for run in range(runs):
        part = draw(versions, cases, np.random.default_rng([seed, run]))
        before, after = _nights(pair, part, baseline, resample, seed=seed * 1_000_003 + run)
        answer = judge(before, after, part.categories)
        answers.append(replace(answer, founded=_founded(answer.verdict, part, pair)))
    return tally(pair, cases, baseline, answers)


def _founded(verdict: Verdict, part: Versions, pair: Pair) -> bool:
    change = part.passed[pair.after] - part.passed[pair.before]
    names = np.array(part.categories)
    channels = [change.mean(), *(change[names == name].mean() for name in set(part.categories))]
    return verdict == "ok" or (min(channels) < 0 if verdict == "regression" else max(channels) > 0)


def draw(versions: Versions, cases: int, rng: np.random.Generator) -> Versions:
    """Return a random part, without replacement."""
    return versions.chosen(np.sort(rng.choice(len(versions.ids), size=cases, replace=False)))


def _nights(pair: Pair, part: Versions, baseline: int, resample: float, *, seed: int) -> tuple[Floats, Floats]:
    if resample == 0.0:  # what was recorded: every night of a version is the same
        return np.tile(part.passed[pair.before], (baseline, 1)), part.passed[pair.after][None, :]
    made = nights(part, [*[pair.before] * baseline, pair.after], resample=resample, seed=seed)
    return made[:baseline], made[baseline:]


def tally(pair: Pair, cases: int, baseline: int, answers: list[Answer]) -> Result:
    right = [answer for answer in answers if answer.verdict == pair.verdict]
    return Result(
        pair=pair,
        cases=cases,
        baseline=baseline,
        right=Share(yes=len(right), n=len(answers)),
        opposite=Share(yes=sum(a.verdict not in {pair.verdict, "ok"} for a in answers), n=len(answers)),
        unfounded=Share(yes=sum(not answer.founded for answer in answers), n=len(answers)),
        fell=_named(pair.fell, [answer.fell for answer in right]),
        rose=_named(pair.rose, [answer.rose for answer in right]),
    )


def _named(wanted: frozenset[str], found: list[frozenset[str]]) -> Share:
    return Share(yes=sum(wanted <= names for names in found), n=len(found)) if wanted else Share(yes=0, n=0)
