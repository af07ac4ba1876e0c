"""The smallest fall that each test of a set detects, on the same night and within a week, announced or not."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from monitor.domain.detectable import DetectableEffect, Scenario
from monitor.drift.detect.budget import announced_shares
from monitor.drift.detect.collapse import CollapseThreshold, collapse_thresholds
from monitor.drift.detect.detector import thresholds_on_night
from monitor.drift.detect.history import History
from monitor.drift.detect.night_scores import OVERALL, channel_names, night_spread, pooled_nights, score_members
from monitor.drift.detect.unannounced_change import OVERALL_WEIGHT
from monitor.drift.detect.window import Window
from monitor.stats.change_point.power import step_needed
from monitor.stats.change_point.shiryaev_roberts import PART, WHOLE
from monitor.stats.fall_score import fall_score, smallest_fall
from monitor.stats.night_tally import NightTally
from monitor.stats.two_versions.comparison import channel_boundaries
from monitor.stats.two_versions.group_sequential import LOOKS
from monitor.stats.two_versions.known_change import NightSpread
from monitor.stats.two_versions.known_power import POWER_SCORE, score_found

Floats = NDArray[np.float64]
WEEK = 7  # nights, the longer horizon
MIN_BEFORE = 2  # nights that a known change is compared with


def set_effects(
    history: History, own_nights: Window, baseline: Window, *, candidate_onsets: int
) -> tuple[DetectableEffect, ...]:
    """Return the effects of all cases: unannounced after the nights `own_nights`, announced after the nights
    `baseline`.
    """
    silent = unannounced_effects(history, own_nights, OVERALL, candidate_onsets=candidate_onsets)
    return (*silent, *announced_effects(history, baseline, OVERALL))


def unannounced_effects(
    history: History, before: Window, channel: str, *, candidate_onsets: int
) -> tuple[DetectableEffect, ...]:
    """Return the smallest falls that the change-point detector finds: a fall of this channel alone, or of all cases.

    `candidate_onsets` is how many of the nights `before` could be an onset. For a fall of all cases only the overall
    channel counts: a category shows the fall less clearly and adds little to the average. A horizon in which no fall is
    enough is left out.
    """
    if candidate_onsets < 0 or before.end - before.start < MIN_BEFORE:
        return ()
    key = ("unannounced_effects", before, channel, candidate_onsets)
    return history.once(key, lambda: _unannounced_effects(history, before, channel, candidate_onsets))


def _unannounced_effects(
    history: History, before: Window, channel: str, candidate_onsets: int
) -> tuple[DetectableEffect, ...]:
    cases = _channel_cases(history, before, channel)
    rms = math.sqrt(float(cases.spread.square[0]))
    categories = len(channel_names(history)) - 1
    weight = 1.0 if not categories else OVERALL_WEIGHT if channel == OVERALL else (1.0 - OVERALL_WEIGHT) / categories
    log_needed = thresholds_on_night(history, history.nights - 1).score
    mixture = WHOLE if channel == OVERALL else PART
    single_night_fall = _collapse_fall(
        cases, collapse_thresholds(log_needed, rms, categories if channel != OVERALL else 0)
    )
    effects = []
    for nights in (1, WEEK):
        step = step_needed(log_needed - math.log(weight), cases.nights, candidate_onsets, mixture, nights)
        accumulated_fall = None
        if step is not None:
            required = _RequiredScore(score=step * rms, rms=rms, share=1.0 / math.sqrt(nights))
            accumulated_fall = required.fall(cases.pooled, cases.samples)
        effects += _effect(
            "silent",
            nights,
            min((fall for fall in (accumulated_fall, single_night_fall) if fall is not None), default=None),
        )
    return tuple(effects)


def _collapse_fall(cases: "_ChannelCases", thresholds: tuple[CollapseThreshold, ...]) -> float | None:
    """Return the smallest fall that is evidence on its first night alone, by one of these thresholds."""
    falls = []
    for rule in thresholds:
        fall = smallest_fall(cases.pooled, cases.samples, lambda sd, rule=rule: rule.score + POWER_SCORE * sd)  # type: ignore[misc]
        if fall is not None:
            falls.append(max(fall, rule.min_fall + POWER_SCORE * _fall_sd(cases, fall)))
    return min(falls, default=None)


def _fall_sd(cases: "_ChannelCases", fall: float) -> float:
    """Return the standard deviation of the fall that one night shows."""
    score = fall_score(cases.pooled, cases.samples, fall)
    return fall * score.sd / score.mean if score.mean > 0.0 else 0.0


def announced_effects(history: History, before: Window, channel: str, *, look: int = 1) -> tuple[DetectableEffect, ...]:
    """Return the smallest falls that the looks after an announced change find: by this look, and by the look of a week
    if it is later.
    """
    if before.end - before.start < MIN_BEFORE:
        return ()
    cases = _channel_cases(history, before, channel)
    effects = []
    for last in sorted({look, max(look, WEEK)}):
        looks = [each for each in LOOKS if each <= last]
        bounds = [_bound(history, channel, each) for each in looks]
        required = _RequiredScore(
            score=score_found(bounds, looks, cases.spread, cases.nights),
            rms=math.sqrt(float(cases.spread.square[0])),
            share=1.0,
        )
        effects += _effect("announced", last, required.fall(cases.pooled, cases.samples * last))
    return tuple(effects)


def _bound(history: History, channel: str, look: int) -> float:
    names = channel_names(history)
    alpha = history.alpha_of_change * announced_shares(labelled=history.labelled_before(history.nights - 1)).score
    return float(channel_boundaries(alpha, len(names) - 1, look)[names.index(channel)])


@dataclass(frozen=True, slots=True, kw_only=True)
class _RequiredScore:
    """The mean score that is detected when a fall adds no noise.

    `rms` is the spread of the nights in units of sampling. `share` is the part of the noise of the fall that adds to
    it.
    """

    score: float
    rms: float
    share: float

    def fall(self, pooled: NightTally, samples: Floats) -> float | None:
        return smallest_fall(pooled, samples, self._with_own_noise)

    def _with_own_noise(self, sd: float) -> float:
        nights = max(self.rms, 1.0)
        added = math.sqrt(max(sd**2 + nights**2 - 1.0, 0.0)) - nights
        return self.score + POWER_SCORE * self.share * added


def _effect(scenario: Scenario, nights: int, fall: float | None) -> list[DetectableEffect]:
    return [] if fall is None else [DetectableEffect(scenario=scenario, nights=nights, effect=fall)]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _ChannelCases:
    """The n cases of a channel on some nights: their samples as one night, [1, n], the samples of each case on the last
    night of the history, [n], and the spread of the nights; 1 when no score is uncertain.
    """

    nights: int
    pooled: NightTally
    samples: Floats
    spread: NightSpread


def _channel_cases(history: History, before: Window, channel: str) -> _ChannelCases:
    column = channel_names(history).index(channel)
    cases = np.flatnonzero(score_members(history)[:, column])
    whole = night_spread(history, before, Window(start=before.end, end=before.end))
    known = whole.nights[column] > 0
    return _ChannelCases(
        nights=before.end - before.start,
        pooled=pooled_nights(history, before).of_cases(cases),
        samples=history.tally.count[-1, cases],
        spread=NightSpread(
            square=whole.square[column : column + 1] if known else np.ones(1), nights=whole.nights[column : column + 1]
        ),
    )
