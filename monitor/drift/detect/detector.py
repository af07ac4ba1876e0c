"""From a history to its alerts: what would have woken somebody, on which night, and why. Pure and causal."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from monitor.domain.finding import Interval
from monitor.drift.detect.alarm_size import change_of_known_alarm, change_of_silent_alarm
from monitor.drift.detect.announced_change import AnnouncedChangeAlarm, beyond_noise, known_alarm
from monitor.drift.detect.budget import Thresholds, silent_thresholds
from monitor.drift.detect.history import History, Stretch, stretches
from monitor.drift.detect.localize import narrowed
from monitor.drift.detect.unannounced_change import OVERALL, Channels, Span, UnannouncedChangeEvidence, silent_evidence
from monitor.drift.detect.window import Window
from monitor.stats.two_versions.group_sequential import LOOKS

FEWEST_BEFORE = 7  # nights that a stretch needs to be what the next version is compared with
FEWEST_AFTER_RESTART = 5  # nights of reference after an alarm before a new onset is considered
LARGEST_E = 1e300

AlertKind = Literal["score", "mix", "behaviour", "judge"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftAlert:
    """One alert. `night` is the last night it rests on, `onset` the first night of the change; `e` is the evidence of a
    silent change (an e-detector's value), `p` the two-sided p-value of a known one: exactly one of them is given.
    `delta` is the measured change, after minus before; `ci` holds the true one in 95 % of the alerts that a drop
    raises, since it allows for the alarm's choice of night, onset and channel (`alarm_size`).
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


def watch(history: History) -> tuple[DriftAlert, ...]:
    """All alerts of a history, oldest first. Cutting off the nights after an alert does not change it."""
    alerts: list[DriftAlert] = []
    baseline: Window | None = None
    for stretch in stretches(history.versions, history.judges):
        change = None if baseline is None else _after_change(history, stretch, baseline)
        silent, last = _silent(history, opening(history, stretch, baseline, change))
        if change is not None and change.night < _first_fall(silent, stretch.end):  # else a fall that came later
            alerts.append(change)
        alerts.extend(silent)
        if baseline is None or last.end - last.start >= FEWEST_BEFORE:
            baseline = last
    return tuple(sorted(alerts, key=lambda alert: alert.night))


def _after_change(history: History, stretch: Stretch, baseline: Window) -> DriftAlert | None:
    """What the looks after a known change say by themselves."""
    after = Window(start=stretch.start, end=min(stretch.end, stretch.start + LOOKS[-1]))
    alarm = known_alarm(history, baseline, after, not_before=history.baseline_nights)
    if alarm is None:
        return None
    alert = _known_alert(history, alarm, baseline, "version", stretch.start)
    yardstick = stretch.new_judge and not stretch.new_version and alert.kind == "score"
    return replace(alert, kind="judge") if yardstick else alert


def _first_fall(silent: Iterable[DriftAlert], end: int) -> int:
    return min((alert.night for alert in silent if alert.kind != "behaviour"), default=end)


def opening(history: History, stretch: Stretch, baseline: Window | None, change: DriftAlert | None) -> Span:
    """The span that a stretch begins with. After a change its nights are watched against each other from the second
    one on, by the spread of the nights before it, and against those before it until the `change` alarmed; what has no
    such yardstick is learnt first.
    """
    learnt = max(history.baseline_nights, 1)
    if stretch.start > 0:
        enough = min(history.baseline_nights, FEWEST_BEFORE)
        learnt = max(history.baseline_nights, stretch.start + enough, stretch.start + 1)
    soonest = max(history.baseline_nights, stretch.start + 1)
    return Span(
        start=stretch.start,
        end=stretch.end,
        first_onset=learnt if baseline is None else soonest,
        learnt=learnt,
        collapses_from=soonest,
        earlier=baseline,
        alike_until=0 if baseline is None else stretch.end if change is None else change.night + 1,
    )


def restarted(span: Span, alert: DriftAlert) -> Span:
    """The baseline starts again where the change began; nights until the alert are reference only."""
    onset = max(alert.night + 1, alert.onset + FEWEST_AFTER_RESTART)
    before = Window(start=span.start, end=alert.onset)
    return replace(
        span,
        start=alert.onset,
        first_onset=onset,
        learnt=onset,
        collapses_from=alert.night + 1,
        earlier=before if before.end > before.start else span.earlier,
        alike_until=0,
    )


def _silent(history: History, span: Span) -> tuple[list[DriftAlert], Window]:
    """The silent alerts of a stretch, and the nights at its end that show what it now is."""
    alerts: list[DriftAlert] = []
    while min(span.first_onset, span.collapses_from) < span.end:
        found = _next_alarm(history, span)
        if found is None:
            break
        alerts.extend(found.alerts)
        span = found.then
    return alerts, Window(start=span.start, end=span.end)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    alerts: tuple[DriftAlert, ...]
    then: Span


def _next_alarm(history: History, span: Span) -> _Found | None:
    evidence = silent_evidence(history, span, silent_needed(history, span.end - 1).score)
    regression = _first_regression(history, span, evidence)
    stranger = _first_crossing(evidence.behaviour, silent_needed(history, span.end - 1).behaviour)
    if stranger is not None and (regression is None or stranger < regression[0]):
        return _stranger(history, span, _silent_alert(history, evidence, stranger, "behaviour"))
    if regression is None:
        return None
    alert = _silent_alert(history, evidence, *regression)
    return _Found(alerts=(alert,), then=restarted(span, alert))


def _stranger(history: History, span: Span, seen: DriftAlert) -> _Found:
    """Another version seems to answer: from its first night on it is judged like a known change, for thirty nights,
    and its nights are watched against each other. The old version's nights are no yardstick for its noise.
    """
    before = Window(start=span.start, end=seen.onset)
    change = Window(start=seen.onset, end=min(span.end, seen.onset + LOOKS[-1]))
    then = opened(span, seen)
    known = known_alarm(history, before, change, not_before=seen.night)
    if known is None or _first_fall(_next_alerts(history, then), span.end) < known.night:
        return _Found(alerts=(seen,), then=then)
    worse = _known_alert(history, known, before, "silent", seen.onset)
    told = (worse,) if worse.night == seen.night else (seen, worse)
    return _Found(alerts=told, then=restarted(span, worse))


def opened(span: Span, seen: DriftAlert) -> Span:
    """The nights since a version that nobody announced began to answer, like those after a known change."""
    soonest = max(seen.night, seen.onset) + 1
    return replace(
        restarted(span, seen),
        first_onset=soonest,
        learnt=max(soonest, seen.onset + FEWEST_BEFORE),
        alike_until=span.end,
    )


def _next_alerts(history: History, span: Span) -> tuple[DriftAlert, ...]:
    found = _next_alarm(history, span) if min(span.first_onset, span.collapses_from) < span.end else None
    return () if found is None else found.alerts


def silent_needed(history: History, night: int) -> Thresholds:
    """Logarithms of the evidence that the night asks for."""
    return silent_thresholds(history.alpha, history.horizon, labelled=history.labelled_before(night))


def _first_regression(
    history: History, span: Span, evidence: UnannouncedChangeEvidence
) -> tuple[int, Literal["score", "mix"]] | None:
    nights = evidence.score.log_e.size
    needed = np.array([silent_needed(history, span.start + night).score for night in range(nights)])
    score = _first_confirmed(history, span, evidence.score, needed, "score")
    if evidence.mix is None:
        return None if score is None else (score, "score")
    labelled = silent_thresholds(history.alpha, history.horizon, labelled=True).mix
    mix = _first_confirmed(history, span, evidence.mix, np.full(nights, labelled), "mix")
    if score is not None and (mix is None or score <= mix):
        return score, "score"
    return None if mix is None else (mix, "mix")


def _first_confirmed(
    history: History, span: Span, channels: Channels, needed: NDArray[np.float64], kind: Literal["score", "mix"]
) -> int | None:
    """The first night whose evidence is enough and is no matter of a version that only varies more than before."""
    for night in np.flatnonzero(channels.log_e >= needed):
        channel, onset = channels.strongest(int(night))
        first = span.start + onset
        before, after = Window(start=span.start, end=first), Window(start=first, end=span.start + int(night) + 1)
        if channels.certain(int(night)) or beyond_noise(history, kind, channel, before, after):
            return int(night)
    return None


def _first_crossing(channels: Channels, threshold: float) -> int | None:
    crossed = np.flatnonzero(channels.log_e >= threshold)
    return int(crossed[0]) if crossed.size else None


def _silent_alert(history: History, evidence: UnannouncedChangeEvidence, night: int, kind: AlertKind) -> DriftAlert:
    channels = {"score": evidence.score, "mix": evidence.mix, "behaviour": evidence.behaviour}[kind]
    assert channels is not None  # a kind without channels has no evidence to cross with
    channel, onset = channels.strongest(night)
    at, first = evidence.start + night, evidence.start + onset
    before, after = Window(start=evidence.start, end=first), Window(start=first, end=at + 1)
    if kind == "score" and channel == OVERALL:
        channel = narrowed(history, before, after)
    change = change_of_silent_alarm(history, kind, channel, before, after)
    return DriftAlert(
        night=at,
        kind=kind,
        trigger="silent",
        channel=channel,
        onset=first,
        delta=change[0] if change else None,
        ci=change[1] if change else None,
        e=min(math.exp(min(float(channels.log_e[night]), 690.0)), LARGEST_E),
    )


def _known_alert(
    history: History, alarm: AnnouncedChangeAlarm, before: Window, trigger: Literal["silent", "version"], onset: int
) -> DriftAlert:
    change = change_of_known_alarm(history, alarm, before, Window(start=onset, end=alarm.night + 1))
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
