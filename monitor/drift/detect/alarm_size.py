"""The size of the change behind an alarm, with a confidence interval that allows for selection by the alarm."""

import math

from monitor.domain.finding import Interval
from monitor.drift.detect.announced_change import AnnouncedChangeAlarm, channel_change
from monitor.drift.detect.budget import announced_shares, unannounced_thresholds
from monitor.drift.detect.history import History
from monitor.drift.detect.night_scores import OVERALL, channel_names
from monitor.drift.detect.unannounced_change import OVERALL_WEIGHT
from monitor.drift.detect.window import Window
from monitor.stats.change_point.interval import drop_found_by_evidence
from monitor.stats.normal import normal_quantile
from monitor.stats.two_versions.comparison import channel_boundaries
from monitor.stats.two_versions.group_sequential import LOOKS, boundaries, last_look
from monitor.stats.two_versions.look_interval import drop_found_by_look

Z_95 = 1.959964
Change = tuple[float, Interval]


def unannounced_change_size(history: History, kind: str, channel: str, before: Window, after: Window) -> Change | None:
    """Return the change of a channel since the onset, with the true changes that are consistent with an alarm on the
    last night.

    The interval is conditional on the alarm (`drop_found_by_evidence`). For a behaviour alarm, and for a change that is
    not a fall, it is the ordinary interval.
    """
    change = channel_change(history, kind, channel, before, after)
    if change is None or kind == "behaviour":  # a behaviour alarm does not test this rate
        return change
    worse, error = _degradation(kind, change), _standard_error(change)
    if worse <= 0.0:
        return change
    drop_range = drop_found_by_evidence(
        worse,
        error,
        before=before.end - before.start,
        after=after.end - after.start,
        log_needed=_channel_threshold(history, kind, channel, after.end),
    )
    return _signed(kind, change[0], drop_range)


def announced_change_size(
    history: History, alarm: AnnouncedChangeAlarm, before: Window, after: Window
) -> Change | None:
    """Return the change of a channel after an announced change, with an interval conditional on the alarm
    (`drop_found_by_look`).
    """
    change = channel_change(history, alarm.kind, alarm.channel, before, after)
    look = last_look(after.end - after.start)
    if change is None or look is None or _degradation(alarm.kind, change) <= 0.0:
        return change
    error = _standard_error(change)
    score = _degradation(alarm.kind, change) / error
    scale = score / -normal_quantile(alarm.p / 2.0)  # the test and the interval may divide by another spread
    bounds = [scale * bound for bound in _look_bounds(history, alarm, after)]
    least, most = drop_found_by_look(score, LOOKS.index(look), bounds, before.end - before.start)
    return _signed(alarm.kind, change[0], (least * error, most * error))


def widen_for_new_cases(delta: float, alarm_interval: Interval, these_cases: Interval, new_cases: Interval) -> Interval:
    """Return the interval of an alarm for new cases.

    `alarm_interval` is the conditional interval for these cases. `these_cases` and `new_cases` are the two
    unconditional intervals. Sampling of other cases adds an error that does not depend on the alarm, so the squares are
    added.
    """
    below = math.hypot(delta - alarm_interval.low, _added_error(delta - these_cases.low, delta - new_cases.low))
    above = math.hypot(alarm_interval.high - delta, _added_error(these_cases.high - delta, new_cases.high - delta))
    return Interval(low=max(delta - below, -1.0), high=min(delta + above, 1.0))


def _added_error(half_width: float, wider_half_width: float) -> float:
    return math.sqrt(max(wider_half_width**2 - half_width**2, 0.0))


def _degradation(kind: str, change: Change) -> float:
    """Return how much worse the channel is; a failure category is worse when it occurs more often."""
    return change[0] if kind == "mix" else -change[0]


def _standard_error(change: Change) -> float:
    """Return the standard error of a change. An interval may be cut off at -1 or 1 on one side, so the wider side
    counts.
    """
    delta, interval = change
    return max(interval.high - delta, delta - interval.low) / Z_95


def _signed(kind: str, delta: float, worse: tuple[float, float]) -> Change:
    low, high = worse if kind == "mix" else (-worse[1], -worse[0])
    return delta, Interval(low=max(low, -1.0), high=min(high, 1.0))


def _channel_threshold(history: History, kind: str, channel: str, until: int) -> float:
    """Return the log evidence that this channel needs for an alarm when no other channel adds evidence.

    The evidence of a channel counts with its weight in the average.
    """
    thresholds = unannounced_thresholds(history.alpha, history.horizon, labelled=history.labelled_before(until - 1))
    if kind == "mix":
        return thresholds.mix + math.log(max(_categories_seen(history, Window(start=0, end=until)), 1))
    categories = len(channel_names(history)) - 1
    weight = 1.0 if not categories else OVERALL_WEIGHT if channel == OVERALL else (1.0 - OVERALL_WEIGHT) / categories
    return thresholds.score - math.log(weight)


def _look_bounds(history: History, alarm: AnnouncedChangeAlarm, after: Window) -> list[float]:
    """Return the scores that the channel of the alarm must reach, one for each entry of LOOKS."""
    shares = announced_shares(labelled=history.labelled_before(after.end - 1))
    if alarm.kind == "mix":
        return list(boundaries(history.alpha_of_change * shares.mix / max(_categories_seen(history, after), 1)))
    names = channel_names(history)
    column, alpha = names.index(alarm.channel), history.alpha_of_change * shares.score
    return [float(channel_boundaries(alpha, len(names) - 1, look)[column]) for look in LOOKS]


def _categories_seen(history: History, nights: Window) -> int:
    """Return the number of failure categories with at least one failure in these nights."""
    return sum(bool(counts[nights.start : nights.end].any()) for counts in history.failures.values())
