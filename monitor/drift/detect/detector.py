"""The detector: from a history to its alerts, with the night, the channel and the size of each. Pure and causal.

The history is cut into segments with one version and one judge. In each segment two tests run:

1. After a change of version or judge: the sequential test of `announced_change`, for thirty nights.
2. On all nights: the change-point detector of `unannounced_change`. After an alarm it restarts at the onset.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from monitor.domain.finding import Interval
from monitor.drift.detect.alarm_size import announced_change_size, unannounced_change_size
from monitor.drift.detect.announced_change import AnnouncedChangeAlarm, announced_change_alarm, exceeds_own_noise
from monitor.drift.detect.budget import Thresholds, unannounced_thresholds
from monitor.drift.detect.history import History, Segment, version_segments
from monitor.drift.detect.localize import localize_drop
from monitor.drift.detect.night_scores import OVERALL
from monitor.drift.detect.unannounced_change import (
    Channels,
    Span,
    UnannouncedChangeEvidence,
    unannounced_change_evidence,
)
from monitor.drift.detect.window import Window
from monitor.stats.two_versions.group_sequential import LOOKS

MIN_BEFORE = 7  # nights that a stretch needs to be what the next version is compared with
MIN_AFTER_RESTART = 5  # nights of reference after an alarm before a new onset is considered
LARGEST_E = 1e300

AlertKind = Literal["score", "mix", "behaviour", "judge"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftAlert:
    """One alert. `night` is the last night that it depends on, `onset` the first night of the change.

    `e` is the e-value of an unannounced change, `p` the two-sided p-value of an announced one; exactly one is set.
    `delta` is after minus before. `ci` covers the true change in 95 % of the alerts that a drop raises: it allows for
    the choice of night, onset and channel by the alarm (`alarm_size`).
    """

    night: int
    kind: AlertKind
    trigger: Literal["silent", "version"]
    channel: str
    onset: int
    delta: float | None
    ci: Interval | None
    e: float | None = None
    p: float | None = None


def detect_alerts(history: History) -> tuple[DriftAlert, ...]:
    """Return all alerts of a history, oldest first. Nights after an alert do not change it."""
    alerts: list[DriftAlert] = []
    baseline: Window | None = None
    for segment in version_segments(history.versions, history.judges):
        # The test after the change runs first: the change-point detector needs to know when it alarmed.
        change = None if baseline is None else _after_change(history, segment, baseline)
        silent, last = _unannounced_alerts(history, initial_span(history, segment, baseline, change))
        # An earlier fall that the change-point detector found replaces the alert of the test after the change.
        if change is not None and change.night < _first_fall_night(silent, segment.end):  # else a fall that came later
            alerts.append(change)
        alerts.extend(silent)
        # A short segment is no baseline: the next segment is compared with the one before it.
        if baseline is None or last.end - last.start >= MIN_BEFORE:
            baseline = last
    return tuple(sorted(alerts, key=lambda alert: alert.night))


def _after_change(history: History, segment: Segment, baseline: Window) -> DriftAlert | None:
    """Return the alert of the looks after an announced change, or None."""
    after = Window(start=segment.start, end=min(segment.end, segment.start + LOOKS[-1]))
    alarm = announced_change_alarm(history, baseline, after, not_before=history.baseline_nights)
    if alarm is None:
        return None
    alert = _announced_alert(history, alarm, baseline, "version", segment.start)
    only_judge_changed = segment.new_judge and not segment.new_version and alert.kind == "score"
    return replace(alert, kind="judge") if only_judge_changed else alert


def _first_fall_night(silent: Iterable[DriftAlert], end: int) -> int:
    return min((alert.night for alert in silent if alert.kind != "behaviour"), default=end)


def initial_span(history: History, segment: Segment, baseline: Window | None, change: DriftAlert | None) -> Span:
    """Return the span that a segment starts with.

    After a change, the detector compares the nights of the new version with each other from the second night on, and
    uses the spread of the nights before the change. Until the test after the change has alarmed, it also compares them
    with the nights before. Kinds without earlier nights need a baseline of their own first.
    """
    # Failure categories and behaviour need nights of this segment as their baseline.
    other_first_onset = max(history.baseline_nights, 1)
    if segment.start > 0:
        fewest_nights = min(history.baseline_nights, MIN_BEFORE)
        other_first_onset = max(history.baseline_nights, segment.start + fewest_nights, segment.start + 1)
    # The score can have an onset from the second night on: the nights before the change give its spread.
    soonest = max(history.baseline_nights, segment.start + 1)
    return Span(
        start=segment.start,
        end=segment.end,
        first_onset=other_first_onset if baseline is None else soonest,
        other_first_onset=other_first_onset,
        first_collapse=soonest,
        earlier_nights=baseline,
        same_level_until=0 if baseline is None else segment.end if change is None else change.night + 1,
    )


def restart_span(span: Span, alert: DriftAlert) -> Span:
    """Return the span after an alarm: the baseline restarts at the onset, and the nights until the alert are reference
    only.
    """
    # The nights since the onset are the new level; a few of them are needed before another onset.
    onset = max(alert.night + 1, alert.onset + MIN_AFTER_RESTART)
    before = Window(start=span.start, end=alert.onset)
    return replace(
        span,
        start=alert.onset,
        first_onset=onset,
        other_first_onset=onset,
        first_collapse=alert.night + 1,
        earlier_nights=before if before.end > before.start else span.earlier_nights,
        same_level_until=0,
    )


def _unannounced_alerts(history: History, span: Span) -> tuple[list[DriftAlert], Window]:
    """Return the alerts without announcement of a segment, and the nights at its end that are the baseline of the next
    one.
    """
    alerts: list[DriftAlert] = []
    while min(span.first_onset, span.first_collapse) < span.end:
        alarm = _next_alarm(history, span)
        if alarm is None:
            break
        alerts.extend(alarm.alerts)
        span = alarm.next_span
    return alerts, Window(start=span.start, end=span.end)


@dataclass(frozen=True, slots=True, kw_only=True)
class _NextAlarm:
    alerts: tuple[DriftAlert, ...]
    next_span: Span


def _next_alarm(history: History, span: Span) -> _NextAlarm | None:
    evidence = unannounced_change_evidence(history, span, thresholds_on_night(history, span.end - 1).score)
    regression = _first_regression(history, span, evidence)
    new_version_night = _first_crossing(evidence.behaviour, thresholds_on_night(history, span.end - 1).behaviour)
    if new_version_night is not None and (regression is None or new_version_night < regression[0]):
        return _unidentified_version(
            history, span, _unannounced_alert(history, evidence, new_version_night, "behaviour")
        )
    if regression is None:
        return None
    alert = _unannounced_alert(history, evidence, *regression)
    return _NextAlarm(alerts=(alert,), next_span=restart_span(span, alert))


def _unidentified_version(history: History, span: Span, behaviour_alert: DriftAlert) -> _NextAlarm:
    """Handle a behaviour alarm: another version seems to answer.

    From its first night the new version is tested like one after an announced change, for thirty nights. Its nights are
    also compared with each other. The nights of the old version do not measure its noise.
    """
    # Test the nights of the new version against those of the old one, as after an announced change.
    before = Window(start=span.start, end=behaviour_alert.onset)
    change = Window(start=behaviour_alert.onset, end=min(span.end, behaviour_alert.onset + LOOKS[-1]))
    next_span = span_after_new_version(span, behaviour_alert)
    announced = announced_change_alarm(history, before, change, not_before=behaviour_alert.night)
    # Report the behaviour alone when that test finds nothing, or the change-point detector finds a fall sooner.
    if announced is None or _first_fall_night(_next_alerts(history, next_span), span.end) < announced.night:
        return _NextAlarm(alerts=(behaviour_alert,), next_span=next_span)
    # A fall on the same night as the behaviour alarm replaces it: one change, one alert.
    score_alert = _announced_alert(history, announced, before, "silent", behaviour_alert.onset)
    alerts = (score_alert,) if score_alert.night == behaviour_alert.night else (behaviour_alert, score_alert)
    return _NextAlarm(alerts=alerts, next_span=restart_span(span, score_alert))


def span_after_new_version(span: Span, behaviour_alert: DriftAlert) -> Span:
    """Return the span of the nights since an unannounced version began to answer, as after an announced change."""
    soonest = max(behaviour_alert.night, behaviour_alert.onset) + 1
    return replace(
        restart_span(span, behaviour_alert),
        first_onset=soonest,
        other_first_onset=max(soonest, behaviour_alert.onset + MIN_BEFORE),
        same_level_until=span.end,
    )


def _next_alerts(history: History, span: Span) -> tuple[DriftAlert, ...]:
    alarm = _next_alarm(history, span) if min(span.first_onset, span.first_collapse) < span.end else None
    return () if alarm is None else alarm.alerts


def thresholds_on_night(history: History, night: int) -> Thresholds:
    """Return the log evidence that the night needs for an alarm."""
    return unannounced_thresholds(history.alpha, history.horizon, labelled=history.labelled_before(night))


def _first_regression(
    history: History, span: Span, evidence: UnannouncedChangeEvidence
) -> tuple[int, Literal["score", "mix"]] | None:
    nights = evidence.score.log_e.size
    thresholds = np.array([thresholds_on_night(history, span.start + night).score for night in range(nights)])
    score = _first_confirmed(history, span, evidence.score, thresholds, "score")
    if evidence.mix is None:
        return None if score is None else (score, "score")
    labelled = unannounced_thresholds(history.alpha, history.horizon, labelled=True).mix
    mix = _first_confirmed(history, span, evidence.mix, np.full(nights, labelled), "mix")
    if score is not None and (mix is None or score <= mix):
        return score, "score"
    return None if mix is None else (mix, "mix")


def _first_confirmed(
    history: History, span: Span, channels: Channels, thresholds: NDArray[np.float64], kind: Literal["score", "mix"]
) -> int | None:
    """Return the first night with enough evidence that is not explained by a version that only varies more."""
    # Check every night above the threshold: a later one can be confirmed when the first one is not.
    for night in np.flatnonzero(channels.log_e >= thresholds):
        channel, onset = channels.strongest(int(night))
        onset_night = span.start + onset
        before, after = (
            Window(start=span.start, end=onset_night),
            Window(start=onset_night, end=span.start + int(night) + 1),
        )
        if channels.certain(int(night)) or exceeds_own_noise(history, kind, channel, before, after):
            return int(night)
    return None


def _first_crossing(channels: Channels, threshold: float) -> int | None:
    crossed = np.flatnonzero(channels.log_e >= threshold)
    return int(crossed[0]) if crossed.size else None


def _unannounced_alert(
    history: History, evidence: UnannouncedChangeEvidence, night: int, kind: AlertKind
) -> DriftAlert:
    channels = {"score": evidence.score, "mix": evidence.mix, "behaviour": evidence.behaviour}[kind]
    assert channels is not None  # a kind without channels has no evidence to cross with
    channel, onset = channels.strongest(night)
    alarm_night, onset_night = evidence.start + night, evidence.start + onset
    before, after = Window(start=evidence.start, end=onset_night), Window(start=onset_night, end=alarm_night + 1)
    if kind == "score" and channel == OVERALL:
        channel = localize_drop(history, before, after)
    change = unannounced_change_size(history, kind, channel, before, after)
    return DriftAlert(
        night=alarm_night,
        kind=kind,
        trigger="silent",
        channel=channel,
        onset=onset_night,
        delta=change[0] if change else None,
        ci=change[1] if change else None,
        e=min(math.exp(min(float(channels.log_e[night]), 690.0)), LARGEST_E),
    )


def _announced_alert(
    history: History, alarm: AnnouncedChangeAlarm, before: Window, trigger: Literal["silent", "version"], onset: int
) -> DriftAlert:
    change = announced_change_size(history, alarm, before, Window(start=onset, end=alarm.night + 1))
    return DriftAlert(
        night=alarm.night,
        kind=alarm.kind,
        trigger=trigger,
        channel=alarm.channel,
        onset=onset,
        delta=change[0] if change else None,
        ci=change[1] if change else None,
        p=alarm.p,
    )
