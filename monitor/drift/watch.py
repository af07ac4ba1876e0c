"""From a history to its alerts: what would have woken somebody, on which night, and why. Pure and causal."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from monitor.domain.finding import Interval
from monitor.drift.alarm_size import change_of_known_alarm, change_of_silent_alarm
from monitor.drift.budget import Thresholds, silent_thresholds
from monitor.drift.history import History, Stretch, stretches
from monitor.drift.known import KnownAlarm, known_alarm
from monitor.drift.localise import narrowed
from monitor.drift.silent import OVERALL, Channels, SilentEvidence, silent_evidence
from monitor.drift.window import Window
from monitor.stats.group_sequential import LOOKS

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
        if baseline is not None:
            alerts.extend(_after_change(history, stretch, baseline))
        silent, last = _silent(history, stretch)
        alerts.extend(silent)
        if baseline is None or last.end - last.start >= FEWEST_BEFORE:
            baseline = last
    return tuple(sorted(alerts, key=lambda alert: alert.night))


def _after_change(history: History, stretch: Stretch, baseline: Window) -> Iterator[DriftAlert]:
    after = Window(start=stretch.start, end=min(stretch.end, stretch.start + LOOKS[-1]))
    alarm = known_alarm(history, baseline, after, not_before=history.baseline_nights)
    if alarm is None:
        return
    alert = _known_alert(history, alarm, baseline, "version", stretch.start)
    yardstick = stretch.new_judge and not stretch.new_version and alert.kind == "score"
    yield replace(alert, kind="judge") if yardstick else alert


def _silent(history: History, stretch: Stretch) -> tuple[list[DriftAlert], Window]:
    """The silent alerts of a stretch, and the nights at its end that stand for what it now is."""
    thresholds = silent_thresholds(history.alpha, history.horizon, labelled=history.labelled)
    alerts: list[DriftAlert] = []
    episode = _Episode(reference=stretch.start, first_onset=_first_onset(history, stretch))
    while episode.first_onset < stretch.end:
        found = _next_alarm(history, stretch, episode, thresholds)
        if found is None:
            break
        alerts.extend(found.alerts)
        episode = found.then
    return alerts, Window(start=episode.reference, end=stretch.end)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Episode:
    """The reference starts at `reference`; changes are looked for from `first_onset` on."""

    reference: int
    first_onset: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    alerts: tuple[DriftAlert, ...]
    then: _Episode


def _first_onset(history: History, stretch: Stretch) -> int:
    if stretch.start == 0:
        return max(history.baseline_nights, 1)
    return max(history.baseline_nights, stretch.start + min(history.baseline_nights, FEWEST_BEFORE), stretch.start + 1)


def _next_alarm(history: History, stretch: Stretch, episode: _Episode, thresholds: Thresholds) -> _Found | None:
    evidence = silent_evidence(history, episode.reference, stretch.end, episode.first_onset)
    regression = _first_regression(evidence, thresholds)
    stranger = _first_crossing(evidence.behaviour, thresholds.behaviour)
    if stranger is not None and (regression is None or stranger < regression[0]):
        seen = _silent_alert(history, evidence, stranger, "behaviour")
        worse = _silent_alert(history, evidence, *regression) if regression is not None else None
        return _stranger(history, Window(start=episode.reference, end=stretch.end), seen, worse)
    if regression is None:
        return None
    alert = _silent_alert(history, evidence, *regression)
    return _Found(alerts=(alert,), then=_restart(alert))


def _stranger(history: History, nights: Window, seen: DriftAlert, worse: DriftAlert | None) -> _Found:
    """Another version seems to answer: from its first night on it is judged like a known change, for thirty nights."""
    before = Window(start=nights.start, end=seen.onset)
    change = Window(start=seen.onset, end=min(nights.end, seen.onset + LOOKS[-1]))
    known = known_alarm(history, before, change, not_before=seen.night)
    if worse is not None and worse.night >= change.end:
        worse = None
    if known is not None and (worse is None or known.night <= worse.night):
        worse = _known_alert(history, known, before, "silent", seen.onset)
    if worse is None:
        return _Found(alerts=(seen,), then=_Episode(reference=seen.onset, first_onset=max(change.end, seen.night + 1)))
    told = (worse,) if worse.night == seen.night else (seen, worse)
    return _Found(alerts=told, then=_restart(worse))


def _first_regression(evidence: SilentEvidence, thresholds: Thresholds) -> tuple[int, Literal["score", "mix"]] | None:
    score = _first_crossing(evidence.score, thresholds.score)
    mix = None if evidence.mix is None else _first_crossing(evidence.mix, thresholds.mix)
    if score is not None and (mix is None or score <= mix):
        return score, "score"
    return None if mix is None else (mix, "mix")


def _first_crossing(channels: Channels, threshold: float) -> int | None:
    crossed = np.flatnonzero(channels.log_e >= threshold)
    return int(crossed[0]) if crossed.size else None


def _silent_alert(history: History, evidence: SilentEvidence, night: int, kind: AlertKind) -> DriftAlert:
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
    history: History, alarm: KnownAlarm, before: Window, trigger: Literal["silent", "version"], onset: int
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


def _restart(alert: DriftAlert) -> _Episode:
    """The baseline starts again where the change began; nights until the alert are reference only."""
    return _Episode(reference=alert.onset, first_onset=max(alert.night + 1, alert.onset + FEWEST_AFTER_RESTART))
