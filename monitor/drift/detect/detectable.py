"""The smallest fall that each test of a set finds: tonight and within a week, announced or not."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from monitor.domain.detectable import DetectableEffect, FallSituation
from monitor.drift.detect.budget import change_shares
from monitor.drift.detect.collapse import OneNight, fall_in_one_night
from monitor.drift.detect.detector import silent_needed
from monitor.drift.detect.history import History
from monitor.drift.detect.unannounced_change import OVERALL, OVERALL_WEIGHT, channel_names, score_members
from monitor.drift.detect.window import Window
from monitor.stats.change_point.power import step_needed
from monitor.stats.change_point.shiryaev_roberts import PART, WHOLE
from monitor.stats.fall_score import fall_score, smallest_fall
from monitor.stats.night_tally import NightTally
from monitor.stats.two_versions.comparison import channel_boundaries
from monitor.stats.two_versions.group_sequential import LOOKS
from monitor.stats.two_versions.known_change import NightSpread, night_spread
from monitor.stats.two_versions.known_power import POWER_SCORE, score_found

Floats = NDArray[np.float64]
WEEK = 7  # nights, the longer horizon
FEWEST_BEFORE = 2  # nights that a known change is compared with


def set_effects(history: History, own: Window, baseline: Window, *, watched: int) -> tuple[DetectableEffect, ...]:
    """Return all four, of all cases: silent after the nights `own`, announced after the nights `baseline`."""
    silent = silent_effects(history, own, OVERALL, watched=watched)
    return (*silent, *announced_effects(history, baseline, OVERALL))


def silent_effects(history: History, before: Window, channel: str, *, watched: int) -> tuple[DetectableEffect, ...]:
    """Return those of the evidence for drift that nothing announced, a fall of this channel alone, or of all cases.

    `watched` of the nights `before` could be an onset already. Of a fall of all cases the overall channel counts alone:
    a category shows it less clearly, and adds little to the average. A horizon in which no fall is enough is left out.
    """
    if watched < 0 or before.end - before.start < FEWEST_BEFORE:
        return ()
    tally, asked = _of_channel(history, before, channel)
    root = math.sqrt(float(_spread(tally).square[0]))
    parts = len(channel_names(history)) - 1
    weight = 1.0 if not parts else OVERALL_WEIGHT if channel == OVERALL else (1.0 - OVERALL_WEIGHT) / parts
    log_needed = silent_needed(history, history.nights - 1).score
    mixture = WHOLE if channel == OVERALL else PART
    alone = _collapse(tally, asked, fall_in_one_night(log_needed, root, parts if channel != OVERALL else 0))
    found = []
    for nights in (1, WEEK):
        step = step_needed(log_needed - math.log(weight), tally.nights, watched, mixture, nights)
        gathered = None
        if step is not None:
            gathered = _Wanted(score=step * root, root=root, share=1.0 / math.sqrt(nights)).fall(tally, asked)
        found += _effect("silent", nights, min((fall for fall in (gathered, alone) if fall is not None), default=None))
    return tuple(found)


def _collapse(tally: NightTally, asked: Floats, ways: tuple[OneNight, ...]) -> float | None:
    """The smallest fall that is evidence in its first night by itself, in one of these ways."""
    falls = []
    for way in ways:
        fall = smallest_fall(tally.pooled(), asked, lambda sd, way=way: way.score + POWER_SCORE * sd)  # type: ignore[misc]
        if fall is not None:
            falls.append(max(fall, way.least + POWER_SCORE * _sampling(tally, asked, fall)))
    return min(falls, default=None)


def _sampling(tally: NightTally, asked: Floats, fall: float) -> float:
    """Standard deviation of the fall that a night shows."""
    score = fall_score(tally.pooled(), asked, fall)
    return fall * score.sd / score.mean if score.mean > 0.0 else 0.0


def announced_effects(history: History, before: Window, channel: str, *, look: int = 1) -> tuple[DetectableEffect, ...]:
    """Return those of the looks after a known change: by this look, and by that of a week where it is later."""
    if before.end - before.start < FEWEST_BEFORE:
        return ()
    tally, asked = _of_channel(history, before, channel)
    spread = _spread(tally)
    found = []
    for last in sorted({look, max(look, WEEK)}):
        looks = [each for each in LOOKS if each <= last]
        bounds = [_bound(history, channel, each) for each in looks]
        wanted = _Wanted(
            score=score_found(bounds, looks, spread, tally.nights), root=math.sqrt(float(spread.square[0])), share=1.0
        )
        found += _effect("announced", last, wanted.fall(tally, asked * last))
    return tuple(found)


def _bound(history: History, channel: str, look: int) -> float:
    names = channel_names(history)
    alpha = history.alpha_of_change * change_shares(labelled=history.labelled_before(history.nights - 1)).score
    return float(channel_boundaries(alpha, len(names) - 1, look)[names.index(channel)])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wanted:
    """The mean score that is found when a fall adds no noise. `root` is the nights' own spread in units of sampling;
    what the fall adds to it counts with `share`.
    """

    score: float
    root: float
    share: float

    def fall(self, tally: NightTally, asked: Floats) -> float | None:
        return smallest_fall(tally.pooled(), asked, self._needed)

    def _needed(self, sd: float) -> float:
        nights = max(self.root, 1.0)
        added = math.sqrt(max(sd**2 + nights**2 - 1.0, 0.0)) - nights
        return self.score + POWER_SCORE * self.share * added


def _effect(situation: FallSituation, nights: int, fall: float | None) -> list[DetectableEffect]:
    return [] if fall is None else [DetectableEffect(situation=situation, nights=nights, effect=fall)]


def _of_channel(history: History, before: Window, channel: str) -> tuple[NightTally, Floats]:
    """The channel's cases on the nights before, and how often each was asked on the last night of the history."""
    cases = np.flatnonzero(score_members(history)[:, channel_names(history).index(channel)])
    whole = history.tally
    count, first = (sums[before.start : before.end, cases] for sums in (whole.count, whole.first))
    asked = whole.count[-1, cases]
    if whole.binary:
        return NightTally(count=count, first=first, second=first, third=first), asked
    second, third = (sums[before.start : before.end, cases] for sums in (whole.second, whole.third))
    return NightTally(count=count, first=first, second=second, third=third), asked


def _spread(tally: NightTally) -> NightSpread:
    """Of the nights before, by their own scores; 1 where none of them was uncertain."""
    found = night_spread(tally, tally.between(0, 0), np.ones((tally.count.shape[1], 1)))
    return found if found.nights[0] > 0 else NightSpread(square=np.ones(1), nights=found.nights)
