"""The sequential test after an announced change: one look after the other, each kind of channel with its share of
alpha.

The test compares the nights before the change with the nights after it. It does so at planned looks (after 1, 2, 3, 5,
7, 10, 14, 21 and 30 nights). The boundaries of a group-sequential plan keep the false-alarm rate over all looks at
alpha.
"""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from monitor.domain.finding import Interval
from monitor.drift.detect.budget import announced_shares
from monitor.drift.detect.history import History
from monitor.drift.detect.localize import localize_drop
from monitor.drift.detect.night_scores import (
    OVERALL,
    channel_names,
    failure_spread,
    night_spread,
    score_members,
)
from monitor.drift.detect.window import Window
from monitor.stats.conformal_z import Draw, channel_scores
from monitor.stats.failure_mix import appearance_weights, class_tally
from monitor.stats.night_tally import NightTally
from monitor.stats.normal import normal_cdf
from monitor.stats.two_versions.comparison import channel_boundaries
from monitor.stats.two_versions.group_sequential import LOOKS, boundaries
from monitor.stats.two_versions.known_change import NightSpread, interval_factor, known_change_z
from monitor.stats.two_versions.own_noise import own_noise
from monitor.stats.two_versions.paired_change import paired_change

Floats = NDArray[np.float64]
Kind = Literal["score", "mix"]
BEYOND_NOISE = 3.0  # of a normal score: what the evidence without a known change is confirmed by


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnouncedChangeAlarm:
    """The first look that reached its boundary. `night` is the last night of the look, `p` the two-sided p-value."""

    night: int
    kind: Kind
    channel: str
    p: float


def announced_change_alarm(
    history: History, before: Window, after: Window, *, not_before: int = 0
) -> AnnouncedChangeAlarm | None:
    """Return the first alarm of the looks after `after.start`, or None. `after` ends with the version.

    Looks whose last night is before `not_before` are skipped. The newest of them is taken on the night `not_before`.
    """
    for night, look in _due_looks(after, not_before):
        window = Window(start=after.start, end=after.start + look)
        alarm = _score_alarm(history, before, window, look, night) or _mix_alarm(history, before, window, look, night)
        if alarm is not None:
            return alarm
    return None


def _due_looks(after: Window, not_before: int) -> list[tuple[int, int]]:
    """Return the looks to take, as (night of the look, nights after the change)."""
    # Looks that the nights after the change have reached.
    reached = [look for look in LOOKS if look <= after.end - after.start]
    # Looks before the first monitored night. The newest of them is caught up on that night.
    missed = [look for look in reached if after.start + look - 1 < not_before]
    planned = [(after.start + look - 1, look) for look in reached if look not in missed]
    caught_up = [(not_before, missed[-1])] if missed and not_before < after.end else []
    return caught_up + [each for each in planned if not caught_up or each[0] > not_before]


def _score_alarm(history: History, before: Window, after: Window, look: int, night: int) -> AnnouncedChangeAlarm | None:
    scores = score_look(history, before, after, look, night)
    alarm = _alarm(scores, night)
    if alarm is None or alarm.channel != OVERALL:
        return alarm
    # Report the category when its cases alone explain the drop of the whole set.
    part = scores.names.index(localize_drop(history, before, after))
    return _alarm(scores.select(part), night) or alarm


def _mix_alarm(history: History, before: Window, after: Window, look: int, night: int) -> AnnouncedChangeAlarm | None:
    return _alarm(mix_look(history, before, after, look, night), night)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LookScores:
    """The scores of the channels of one kind at a look, positive for worse, with the boundary of each channel."""

    kind: Kind
    names: tuple[str, ...]
    z: Floats
    bounds: Floats

    def select(self, channel: int) -> "LookScores":
        one = slice(channel, channel + 1)
        return replace(self, names=self.names[one], z=self.z[one], bounds=self.bounds[one])


def score_look(history: History, before: Window, after: Window, look: int, night: int) -> LookScores:
    """Return the scores of all cases and of each category at the look after `look` nights. `night` is the night of the
    look.
    """
    names = channel_names(history)
    alpha = history.alpha_of_change * announced_shares(labelled=history.labelled_before(night)).score
    return LookScores(
        kind="score",
        names=names,
        z=-ComparedNights(before=before, after=after).z(
            history.tally, score_members(history), night_spread(history, before, after), history.repeats
        ),
        bounds=channel_boundaries(alpha, len(names) - 1, look),
    )


def mix_look(history: History, before: Window, after: Window, look: int, night: int) -> LookScores:
    """Return the scores of each failure category that occurs after the change. Categories known before it share most of
    alpha.
    """
    categories = {n: c for n, c in history.failures.items() if c[after.start : after.end].any()}
    alpha = history.alpha_of_change * announced_shares(labelled=history.labelled_before(night)).mix
    if not categories or alpha <= 0.0:
        return LookScores(kind="mix", names=(), z=np.zeros(0), bounds=np.zeros(0))
    first_nights = {name: _first_night(counts, before, after) for name, counts in categories.items()}
    names = tuple(sorted(categories, key=lambda name: (first_nights[name], name)))
    # New categories get a small share of alpha, by the order in which they appear.
    weights = appearance_weights([first_nights[name] for name in names], baseline=1)
    all_cases = np.ones((len(history.categories), 1))
    compared = ComparedNights(before=before, after=after)
    z = [
        compared.z(
            class_tally(categories[name], history.labelled_count),
            all_cases,
            failure_spread(history, name, before, after),
        )[0]
        for name in names
    ]
    index = LOOKS.index(look)
    return LookScores(
        kind="mix",
        names=names,
        z=np.array(z),
        bounds=np.array([boundaries(alpha * float(weight))[index] for weight in weights]),
    )


def _first_night(counts: Floats, before: Window, after: Window) -> int:
    """Return 0 for a failure category of the nights before, else its first night after the change, counted from 1."""
    if counts[before.start : before.end].any():
        return 0
    return 1 + int(counts[after.start : after.end].any(axis=1).argmax())


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedNights:
    """The nights before and after a change."""

    before: Window
    after: Window

    def z(self, tally: NightTally, members: Floats, nights: NightSpread, repeats: NightTally | None = None) -> Floats:
        """Return `known_change_z` of the two windows."""
        repeated = None if repeats is None else repeats.between(self.after.start, self.after.end)
        before = tally.between(self.before.start, self.before.end)
        return known_change_z(before, tally.between(self.after.start, self.after.end), members, repeated, nights)


def exceeds_own_noise(history: History, kind: str, channel: str, before: Window, after: Window) -> bool:
    """Return whether a channel got worse by more than the noise of both windows explains.

    A version that only varies more than the one before produces evidence in the change-point detector. This check
    compares the two windows with the variance that each of them shows (`own_noise`).
    """
    all_cases = np.ones((len(history.categories), 1))
    tally, members, columns, sign = history.tally, score_members(history), [0], -1.0
    if kind == "mix":
        tally, members, sign = class_tally(history.failures[channel], history.labelled_count), all_cases, 1.0
    else:
        columns.append(channel_names(history).index(channel))
    then, now = (tally.between(window.start, window.end).pooled() for window in (before, after))
    repeats = (
        None if history.repeats is None or kind == "mix" else history.repeats.between(after.start, after.end).pooled()
    )
    # Compare the windows by sampling alone, then divide by the noise that both windows show.
    z = channel_scores(Draw(now=now, everything=then + now), members).z[0]
    z = sign * z / np.sqrt(own_noise(then, now, members, repeats).ratio)
    return bool((np.nan_to_num(z)[columns] >= BEYOND_NOISE).any())


def _alarm(scores: LookScores, night: int) -> AnnouncedChangeAlarm | None:
    if not scores.names:
        return None
    # The channel that is furthest above its boundary raises the alarm.
    excess = np.where(np.isnan(scores.z), -np.inf, scores.z - scores.bounds)
    strongest = int(excess.argmax())
    if excess[strongest] < 0.0:
        return None
    return AnnouncedChangeAlarm(
        night=night, kind=scores.kind, channel=scores.names[strongest], p=two_sided_p(scores.z[strongest])
    )


def two_sided_p(z: float) -> float:
    """Return the two-sided p-value of a normal score, at least 1e-300."""
    return max(2.0 * normal_cdf(-abs(z)), 1e-300)


def channel_change(
    history: History, kind: str, channel: str, before: Window, after: Window
) -> tuple[float, Interval] | None:
    """Return the change of the rate of a channel from one window to the other, with its 95 % interval for these
    cases.
    """
    if kind == "mix":
        tally = class_tally(history.failures[channel], history.labelled_count)
        members = np.ones(history.tally.count.shape[1], dtype=np.bool_)
        factor = interval_factor(failure_spread(history, channel, before, after))[0]
    else:
        column = channel_names(history).index(channel)
        tally, members = history.tally, score_members(history)[:, column] > 0
        factor = interval_factor(night_spread(history, before, after))[column]
    then, now = tally.between(before.start, before.end), tally.between(after.start, after.end)
    change = paired_change(then, now, members, spread=float(factor))
    return None if change is None else (change.delta, change.these_cases)
