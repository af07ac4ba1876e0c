"""The first look at a change: a part of the cases that is enough to announce a regression of the whole run."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from monitor.drift.detect.budget import announced_shares
from monitor.drift.detect.detector import DriftAlert, detect_alerts
from monitor.drift.detect.history import History
from monitor.drift.detect.night_scores import channel_names, score_members
from monitor.drift.detect.nightly_history import MIN_NIGHTS_BEFORE
from monitor.drift.detect.reference import reference_of
from monitor.stats.conformal_z import Draw, channel_scores
from monitor.stats.curtailment import CONFIDENCE, early_boundary
from monitor.stats.night_tally import NightTally
from monitor.stats.two_versions.comparison import channel_boundaries
from monitor.stats.two_versions.known_change import NightSpread, night_spread, shrunk_spread
from monitor.stats.two_versions.own_noise import own_noise

Floats = NDArray[np.float64]
SIMULATED_NIGHTS = 20
POWER = 0.8  # share of the simulated nights in which the drop must be announced
LARGEST_SHARE = 0.75  # a larger part saves too few calls to be worth a look
FIRST_LOOK = 1  # nights after the change
OVERALL_ONLY = slice(0, 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstLook:
    """The result of a first look at `scored` of `planned` cases: those with a score tonight and before the change.

    `channel` is the channel that announces a regression, or the one nearest to it. `score` and `needed` are on the
    scale of Student's t, positive for worse. `delta` is after minus before, over the cases of the channel in the part.
    """

    announced: bool
    channel: str
    scored: int
    planned: int
    delta: float
    score: float
    needed: float


@dataclass(frozen=True, kw_only=True, eq=False)
class ChangeTonight:
    """A new version that answers its first night, the last of the history, with the nights that it is compared with.

    `planned` [n] marks the cases of the run of this night that have samples before the change.
    """

    history: History
    before: NightTally
    planned: NDArray[np.bool_]

    @cached_property
    def names(self) -> tuple[str, ...]:
        return channel_names(self.history)

    @cached_property
    def members(self) -> Floats:
        return score_members(self.history)

    @cached_property
    def then(self) -> NightTally:
        return self.before.pooled()

    @cached_property
    def spread(self) -> NightSpread:
        """The spread of the nights before, as `known_change_z` takes it on the first night."""
        return shrunk_spread(night_spread(self.before, self.before.between(0, 1), self.members))

    @cached_property
    def bounds(self) -> Floats:
        """The bounds of `score_look` on the first night."""
        history = self.history
        labelled = history.labelled_before(history.nights - 1)
        alpha = history.alpha_of_change * announced_shares(labelled=labelled).score
        return channel_boundaries(alpha, len(self.names) - 1, FIRST_LOOK)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ChannelScores:
    """The score of each channel on the scale of Student's t, with its degrees of freedom; positive for worse."""

    t: Floats
    degrees: Floats


def change_tonight(history: History, planned: NDArray[np.bool_]) -> ChangeTonight | None:
    """Return the change whose first night is the last of the history; None when no look after an announced change
    judges that night.

    `planned` marks the cases of the run of that night. Some of them may have no score yet.
    """
    tonight = history.nights - 1
    return _change(history, [alert for alert in detect_alerts(history) if alert.night < tonight], planned)


def coming_change(history: History, planned: NDArray[np.bool_]) -> ChangeTonight | None:
    """Return the same for a new version whose first night follows the history."""
    nothing = np.zeros((1, history.tally.count.shape[1]))
    empty = NightTally(count=nothing, first=nothing, second=nothing, third=nothing)
    extended = replace(
        history,
        versions=(*history.versions, "the coming version"),
        judges=(*history.judges, *history.judges[-1:]),
        tally=history.tally.then(empty),
        failures={name: np.concatenate([counts, nothing]) for name, counts in history.failures.items()},
        labelled_samples=None
        if history.labelled_samples is None
        else np.concatenate([history.labelled_samples, nothing]),
        repeats=None if history.repeats is None else history.repeats.then(empty),
        baseline_nights=min(history.baseline_nights, max(history.nights, MIN_NIGHTS_BEFORE)),
    )
    return _change(extended, detect_alerts(history), planned) if history.nights else None


def _change(history: History, alerts: Sequence[DriftAlert], planned: NDArray[np.bool_]) -> ChangeTonight | None:
    tonight = history.nights - 1
    reference = reference_of(history, alerts)
    segment, before = reference.segment, reference.before
    if before is None or segment.start != tonight or not segment.new_version or tonight < history.baseline_nights:
        return None
    tally = history.tally.between(before.start, before.end)
    known = planned & (tally.count.sum(axis=0) > 0)
    return ChangeTonight(history=history, before=tally, planned=known) if known.any() else None


def first_look(change: ChangeTonight, *, min_effect: float = 0.0) -> FirstLook | None:
    """Return the result of the look at the cases of the last night of the history; see `look_at`."""
    history = change.history
    tonight = history.nights - 1
    repeats = None if history.repeats is None else history.repeats.between(tonight, tonight + 1)
    return look_at(change, history.tally.between(tonight, tonight + 1), repeats, min_effect=min_effect)


def look_at(
    change: ChangeTonight, now: NightTally, repeats: NightTally | None = None, *, min_effect: float = 0.0
) -> FirstLook | None:
    """Return the result of the look at the cases with a score in `now`, one night [1, n]; None without any.

    A channel announces a regression when the whole run would reject with probability 99 % if the rest of its cases did
    not change (`early_boundary`). The whole set must then also fall by `min_effect`, which the policy may accept.
    """
    scored = change.planned & (now.count[0] > 0)
    scores = channel_t(change, now, repeats)
    planned_cases = change.planned @ change.members
    share = (scored @ change.members) / np.maximum(planned_cases, 1.0)
    needed = early_boundary(change.bounds, share, scores.degrees)
    deltas = _deltas(change, now)
    excess = np.where(np.isnan(scores.t) | ~np.isfinite(needed), -np.inf, scores.t - needed)
    if min_effect > 0.0 and _least_fall(scores.t[0], share[0], scores.degrees[0], deltas[0]) < min_effect:
        excess[0] = -np.inf
    if not np.isfinite(excess).any():
        return None
    best = int(excess.argmax())
    return FirstLook(
        announced=bool(excess[best] >= 0.0),
        channel=change.names[best],
        scored=int(scored.sum()),
        planned=int(change.planned.sum()),
        delta=float(deltas[best]),
        score=float(scores.t[best]),
        needed=float(needed[best]),
    )


def channel_t(
    change: ChangeTonight, now: NightTally, repeats: NightTally | None = None, *, channels: slice = slice(None)
) -> ChannelScores:
    """Return the scores of `known_change_z` before they become normal scores, positive for worse."""
    then, members = change.then, change.members[:, channels]
    square, nights = change.spread.square[channels], change.spread.nights[channels]
    z = channel_scores(Draw(now=now, everything=then + now), members).z[0]
    noise = own_noise(then, now, members, repeats)
    degrees = 1.0 / (1.0 / np.maximum(nights, 1.0) + 1.0 / noise.degrees)
    return ChannelScores(t=-z / np.sqrt(square * noise.ratio), degrees=degrees)


def part_size(change: ChangeTonight, effect: float, rng: np.random.Generator, *, least: int = 1) -> int | None:
    """Return the smallest number of planned cases in which a drop of the pass rate by `effect` is announced with 80 %
    power; None when that takes more than three quarters of them, or the pass rate is below `effect`.

    Method:    20 simulated nights: each case repeats one of its nights before the change, and fails with probability
               effect / pass rate instead. Each night has an order of its own; its first m cases are the part. A binary
               search over m, by the overall channel alone.
    Smallest:  `least`, the cases without which a verdict is insufficient.

    The same generator gives the same size.
    """
    places = np.flatnonzero(change.planned)
    nights = _simulated_nights(change, places, effect, rng)
    low, high = least - 1, int(LARGEST_SHARE * places.size)
    if nights is None or high <= low or not _found(change, nights, places, high):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _found(change, nights, places, middle) else (middle, high)
    return high


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _SimulatedNight:
    tally: NightTally
    order: NDArray[np.intp]  # of the planned cases


def _simulated_nights(
    change: ChangeTonight, places: NDArray[np.intp], effect: float, rng: np.random.Generator
) -> list[_SimulatedNight] | None:
    then = change.then
    level = float((then.first[0] / np.maximum(then.count[0], 1.0))[places].mean())
    if not 0.0 < effect <= level:
        return None
    return [
        _SimulatedNight(tally=_night_with_drop(change.before, effect / level, rng), order=rng.permutation(places))
        for _ in range(SIMULATED_NIGHTS)
    ]


def _night_with_drop(before: NightTally, failing: float, rng: np.random.Generator) -> NightTally:
    """Return one night [1, n]: of each case the scores of one of its nights, or failures with that probability."""
    drawn = np.where(before.count > 0, rng.random(before.count.shape), -1.0).argmax(axis=0)
    kept = (rng.random(drawn.size) >= failing).astype(np.float64)
    columns = np.arange(drawn.size)
    first = (before.first[drawn, columns] * kept)[None]
    second = first if before.binary else (before.second[drawn, columns] * kept)[None]
    third = first if before.binary else (before.third[drawn, columns] * kept)[None]
    return NightTally(count=before.count[drawn, columns][None], first=first, second=second, third=third)


def _found(change: ChangeTonight, nights: Sequence[_SimulatedNight], places: NDArray[np.intp], size: int) -> bool:
    """Return whether the first `size` cases announce the drop in enough of the nights."""
    return sum(_announces(change, night, size / places.size, size) for night in nights) >= POWER * len(nights)


def _announces(change: ChangeTonight, night: _SimulatedNight, share: float, size: int) -> bool:
    part = np.zeros(change.planned.size)
    part[night.order[:size]] = 1.0
    scores = channel_t(change, _masked(night.tally, part), channels=OVERALL_ONLY)
    needed = early_boundary(change.bounds[OVERALL_ONLY], np.array([share]), scores.degrees)
    return bool(scores.t[0] >= needed[0])


def _masked(tally: NightTally, part: Floats) -> NightTally:
    first = tally.first * part
    if tally.binary:
        return NightTally(count=tally.count * part, first=first, second=first, third=first)
    return NightTally(count=tally.count * part, first=first, second=tally.second * part, third=tally.third * part)


def _deltas(change: ChangeTonight, now: NightTally) -> Floats:
    """Return [C]: the change of the mean score of the cases with scores on both sides."""
    then = change.then
    both = (then.count[0] > 0) & (now.count[0] > 0)
    of_case = now.first[0] / np.maximum(now.count[0], 1.0) - then.first[0] / np.maximum(then.count[0], 1.0)
    deltas: Floats = np.where(both, of_case, 0.0) @ change.members / np.maximum(both @ change.members, 1.0)
    return deltas


def _least_fall(t: float, share: float, degrees: float, delta: float) -> float:
    """Return the fall of the whole set that is exceeded with probability 99 % if the rest does not change."""
    from scipy.special import stdtrit

    if not t > 0.0 or share <= 0.0:
        return 0.0
    rest = float(stdtrit(degrees, CONFIDENCE)) * np.sqrt(1.0 - share)
    return float((np.sqrt(share) * t - rest) * np.sqrt(share) * -delta / t)
