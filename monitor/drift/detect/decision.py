"""The decision on the last night of a set: which alarm it raises, if any, and whether an open alert persists."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from monitor.domain.detectable import DetectableEffect
from monitor.domain.evidence import CaseOverlap, ChannelEvidence, Evidence, NoiseEvidence, Phase
from monitor.domain.finding import Interval
from monitor.drift.detect.alarm_size import widen_for_new_cases
from monitor.drift.detect.announced_change import mix_look, score_look, two_sided_p
from monitor.drift.detect.channel_size import WindowComparison
from monitor.drift.detect.channels import channel_evidence, e_from_log
from monitor.drift.detect.coverage import not_tested
from monitor.drift.detect.detectable import set_effects
from monitor.drift.detect.detector import DriftAlert, detect_alerts, thresholds_on_night
from monitor.drift.detect.episode import drop_persists, open_episode, remaining_drop
from monitor.drift.detect.history import History
from monitor.drift.detect.improvements import detect_improvements
from monitor.drift.detect.nightly_history import MIN_NIGHTS_BEFORE, Nights
from monitor.drift.detect.noise_floor import noise_evidence
from monitor.drift.detect.reference import Reference, reference_of
from monitor.drift.detect.window import Window
from monitor.drift.judge.consistency import consistency_evidence
from monitor.stats.failure_mix import class_tally
from monitor.stats.two_versions.comparison import compare_tallies
from monitor.stats.two_versions.group_sequential import last_look
from monitor.stats.two_versions.known_change import interval_spread
from monitor.stats.two_versions.paired_change import paired_change

NOISE_NIGHTS = 90  # newest nights of the baseline: noise may change with the season, and more nights add little


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Decision:
    """The decision on one night.

    `monitored` is False while there are too few nights for the detector. Then only two runs are compared.

    - `alert`: an alarm of this night: worse, a new kind of failure, or a changed judge.
    - `unidentified_version`: another version seems to answer.
    - `improvement`: the score rose after an announced change.
    - `open_drop_persists`: whether the drop of the open alert persists; None when the detector has no open drop.
    """

    monitored: bool
    evidence: Evidence
    alert: DriftAlert | None = None
    unidentified_version: DriftAlert | None = None
    improvement: DriftAlert | None = None
    open_drop_persists: bool | None = None

    @property
    def reported(self) -> DriftAlert | None:
        """The alert that the verdict reports."""
        return self.alert or self.improvement or self.unidentified_version


def decide(nights: Nights, run_id: str, open_alert: Evidence | None, opened_by: str | None) -> Decision | None:
    """Return the decision on the night of `run_id`, the last of the history; None when the run is not that night.

    `open_alert` is the evidence of the finding that opened the alert of the set, `opened_by` the run that it judged.
    """
    history = nights.history
    tonight = nights.index(run_id)
    if tonight is None or tonight != history.nights - 1:
        return None
    alerts = detect_alerts(history)
    reference = reference_of(history, [alert for alert in alerts if alert.night < tonight])
    tonights = [alert for alert in alerts if alert.night == tonight]
    monitored = tonight >= max(MIN_NIGHTS_BEFORE, history.baseline_nights)
    alert = _first_of_kinds(tonights, ("score", "mix", "judge"))
    unidentified_version = _first_of_kinds(tonights, ("behaviour",))
    improvement = None if alert or reference.before is None or not monitored else _improvement(history, tonight)
    episode = open_episode(nights, open_alert, opened_by)
    reported = alert or improvement or unidentified_version
    phase = _phase(reference, reported, monitored=monitored, open_episode=open_alert is not None)
    open_drop_persists = None if episode is None else drop_persists(nights, episode)
    return Decision(
        monitored=monitored,
        evidence=_evidence(
            nights,
            reference,
            phase,
            reported,
            remaining_drop(nights, episode) if episode and open_drop_persists else None,
        ),
        alert=alert,
        unidentified_version=unidentified_version,
        improvement=improvement,
        open_drop_persists=open_drop_persists,
    )


def _first_of_kinds(alerts: Sequence[DriftAlert], kinds: Sequence[str]) -> DriftAlert | None:
    return next((alert for kind in kinds for alert in alerts if alert.kind == kind), None)


def _improvement(history: History, tonight: int) -> DriftAlert | None:
    return next((alert for alert in detect_improvements(history) if alert.night == tonight), None)


def _phase(reference: Reference, reported: DriftAlert | None, *, monitored: bool, open_episode: bool) -> Phase:
    if not monitored:
        return "learning"
    if reported is not None:
        return "change" if reported.trigger == "version" else "silent"
    if open_episode:
        return "episode"
    return "change" if reference.after_change else "silent"


def _evidence(
    nights: Nights,
    reference: Reference,
    phase: Phase,
    reported: DriftAlert | None,
    open_alert_change: ChannelEvidence | None,
) -> Evidence:
    history = nights.history
    window = _baseline_window(reference, reported, tonight=history.nights - 1)
    judged = Window(start=reported.onset if reported is not None else history.nights - 1, end=history.nights)
    own_nights = (
        window
        if reported is not None and reported.trigger == "silent"
        else Window(start=reference.own_nights.start, end=judged.start)
    )
    comparison = WindowComparison(history=history, before=own_nights, after=judged)
    candidate_onsets = own_nights.end - reference.span.first_onset
    common = {
        "phase": phase,
        "nights": history.nights,
        "baseline_nights": window.end - window.start,
        "baseline_first_run": nights.nights[window.start].run_id if window.end > window.start else None,
        "baseline_last_run": nights.nights[window.end - 1].run_id if window.end > window.start else None,
        "case_overlap": _case_overlap(nights),
        "channels": channel_evidence(history, reference, comparison) if phase != "learning" else (),
        "open_alert_change": open_alert_change,
        "noise": _noise_evidence(
            nights, window, set_effects(history, own_nights, window, candidate_onsets=candidate_onsets)
        ),
        "consistency": consistency_evidence(nights, reference) if phase != "learning" else None,
        "not_tested": not_tested(history, reference, learning=phase == "learning"),
    }
    if reported is None:
        return Evidence(**common)  # type: ignore[arg-type]  # typed where they are made
    onset = nights.nights[reported.onset]
    return Evidence(
        **common,  # type: ignore[arg-type]
        trigger=reported.trigger,
        kind=reported.kind,
        channel=reported.channel,
        onset_run=onset.run_id,
        onset_at=onset.at,
        delta=reported.delta,
        interval=None if reported.ci is None else (reported.ci.low, reported.ci.high),
        interval_new_cases=_new_cases_range(history, window, reported),
        e=reported.e,
        e_needed=_e_needed(history, reported),
        p=reported.p,
        p_needed=_p_needed(history, reference, reported),
    )


def _baseline_window(reference: Reference, reported: DriftAlert | None, *, tonight: int) -> Window:
    """Return the nights that the judged nights are compared with."""
    if reported is not None and reported.trigger == "silent":
        return Window(start=reference.own_nights.start, end=reported.onset)
    if reference.before is not None and reference.after_change:
        return reference.before
    return Window(start=reference.own_nights.start, end=tonight)


def _case_overlap(nights: Nights) -> CaseOverlap:
    count = nights.history.tally.count
    tonight, earlier = count[-1] > 0, count[:-1].sum(axis=0) > 0
    return CaseOverlap(
        cases=int(tonight.sum()),
        carried_over=int((tonight & earlier).sum()),
        revisions=len({night.revision for night in nights.nights}),
    )


def _noise_evidence(nights: Nights, window: Window, detectable: tuple[DetectableEffect, ...]) -> NoiseEvidence | None:
    history, start = nights.history, max(window.start, window.end - NOISE_NIGHTS)
    return noise_evidence(
        history.tally.between(start, window.end), nights.repeats.between(start, window.end), detectable=detectable
    )


def _new_cases_range(history: History, window: Window, reported: DriftAlert) -> tuple[float, float] | None:
    """Return the interval for new cases, clustered by case. For a failure category it is the interval of its rate."""
    if window.end <= window.start:
        return None
    interval = (
        _mix_interval(history, window, reported)
        if reported.kind == "mix"
        else _score_interval(history, window, reported)
    )
    return None if interval is None else (interval.low, interval.high)


def _around_alarm(reported: DriftAlert, these_cases: Interval | None, new_cases: Interval | None) -> Interval | None:
    """Return the interval for new cases around the size of the alarm."""
    if reported.delta is None or reported.ci is None or these_cases is None or new_cases is None:
        return new_cases
    return widen_for_new_cases(reported.delta, reported.ci, these_cases, new_cases)


def _score_interval(history: History, window: Window, reported: DriftAlert) -> Interval | None:
    change = compare_tallies(
        history.tally.between(window.start, window.end),
        history.tally.between(reported.onset, reported.night + 1),
        history.categories,
        history.alpha_of_change,
    )
    channel = change.categories.get(reported.channel) or change.overall
    return _around_alarm(reported, channel.ci, channel.ci_new_cases)


def _mix_interval(history: History, window: Window, reported: DriftAlert) -> Interval | None:
    tally = class_tally(history.failures[reported.channel], history.labelled_count)
    before, after = tally.between(window.start, window.end), tally.between(reported.onset, reported.night + 1)
    all_cases = np.ones(tally.count.shape[1], dtype=np.bool_)
    spread = interval_spread(before, after, all_cases[:, None].astype(np.float64))
    change = paired_change(before, after, all_cases, spread=float(spread[0]))
    return None if change is None else _around_alarm(reported, change.these_cases, change.new_cases)


def _e_needed(history: History, reported: DriftAlert) -> float | None:
    if reported.e is None:
        return None
    needed = thresholds_on_night(history, reported.night)
    return e_from_log({"score": needed.score, "mix": needed.mix, "behaviour": needed.behaviour}[reported.kind])


def _p_needed(history: History, reference: Reference, reported: DriftAlert) -> float | None:
    look = last_look(reported.night - reported.onset + 1)
    if reported.p is None or look is None:
        return None
    window = Window(start=reported.onset, end=reported.onset + look)
    before = (
        reference.before
        if reported.trigger == "version"
        else Window(start=reference.own_nights.start, end=reported.onset)
    )
    if before is None:
        return None
    looks = (mix_look if reported.kind == "mix" else score_look)(history, before, window, look, reported.night)
    return two_sided_p(float(looks.bounds[looks.names.index(reported.channel)]))
