"""The scores of nights by channel. Each is computed once for all steps of a decision.

The score of a night depends only on the nights before it. So a shorter window that starts on the same night reads
the scores of a longer one.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from monitor.drift.detect.history import History, version_segments
from monitor.drift.detect.window import Window
from monitor.stats.behaviour import behaviour_scores
from monitor.stats.conformal_z import Scores, conformal_scores, running_draw, scores_of_draw
from monitor.stats.failure_mix import class_tally
from monitor.stats.night_tally import NightTally
from monitor.stats.two_versions.comparison import membership
from monitor.stats.two_versions.known_change import NightSpread, spread_of_squares

Floats = NDArray[np.float64]
OVERALL = "overall"
T = TypeVar("T")


def channel_names(history: History) -> tuple[str, ...]:
    """Return `overall`, then the categories by name. A single category has the same information as overall."""

    def names() -> tuple[str, ...]:
        found = sorted(set(history.categories))
        return (OVERALL, *found) if len(found) > 1 else (OVERALL,)

    return history.once("channel_names", names)


def score_members(history: History) -> Floats:
    """Return [n, C]: 1.0 where a case belongs to a channel."""
    return history.once("score_members", lambda: membership(history.categories, channel_names(history)[1:]))


def pooled_nights(history: History, nights: Window) -> NightTally:
    """Return the samples of a window as one night, [1, n]."""
    return history.once(("pooled", nights), lambda: history.tally.between(nights.start, nights.end).pooled())


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _NightScores:
    """The scores of the channels, and those of the behaviour."""

    channels: Scores
    behaviour: Scores


def night_scores(history: History, nights: Window) -> Scores:
    """Return `conformal_scores` of the channels of the score, [nights, C]."""
    return _first(_scores(history, nights).channels, nights)


def night_behaviour(history: History, nights: Window) -> Scores:
    """Return `behaviour_scores`, [nights, 1]."""
    return _first(_scores(history, nights).behaviour, nights)


def failure_scores(history: History, name: str, nights: Window) -> Scores:
    """Return `conformal_scores` of the number of samples that failed by this category, [nights, 1]."""

    def compute(longest: Window) -> Scores:
        tally = class_tally(history.failures[name], history.labelled_count).between(longest.start, longest.end)
        return conformal_scores(tally, np.ones((len(history.categories), 1)))

    found = _longest(history, ("failure_scores", name), nights, compute, lambda scores: scores.z.shape[0])
    return _first(found, nights)


def night_spread(history: History, before: Window, after: Window) -> NightSpread:
    """Return `known_change.night_spread` of the channels of the score, arrays [C]."""
    then, last = night_scores(history, before).square, Window(start=after.start, end=after.end - 1)
    now = night_scores(history, last).square if last.end > last.start else then[:0]
    return spread_of_squares(then, now)


def failure_spread(history: History, name: str, before: Window, after: Window) -> NightSpread:
    """Return the same of a failure category, arrays [1]."""
    then, last = failure_scores(history, name, before).square, Window(start=after.start, end=after.end - 1)
    now = failure_scores(history, name, last).square if last.end > last.start else then[:0]
    return spread_of_squares(then, now)


def _scores(history: History, nights: Window) -> _NightScores:
    def compute(longest: Window) -> _NightScores:
        drawn = running_draw(history.tally.between(longest.start, longest.end))
        return _NightScores(
            channels=scores_of_draw(drawn, score_members(history)), behaviour=behaviour_scores(drawn.draw.now, drawn)
        )

    return _longest(history, "night_scores", nights, compute, lambda scores: scores.channels.z.shape[0])


def _longest(
    history: History, key: object, nights: Window, compute: Callable[[Window], T], length: Callable[[T], int]
) -> T:
    """Return what is computed of the longest window so far with this start. A new window reaches to the end of the
    version at least.
    """
    known: dict[int, T] = history.once(("longest", key), dict)
    found = known.get(nights.start)
    if found is None or length(found) < nights.end - nights.start:
        end = max(nights.end, _segment_end(history, nights.start))
        found = known[nights.start] = compute(Window(start=nights.start, end=end))
    return found


def _segment_end(history: History, night: int) -> int:
    segments = history.once("segments", lambda: version_segments(history.versions, history.judges))
    return next((segment.end for segment in segments if segment.start <= night < segment.end), night)


def _first(scores: Scores, nights: Window) -> Scores:
    count = nights.end - nights.start
    return Scores(z=scores.z[:count], square=scores.square[:count])
