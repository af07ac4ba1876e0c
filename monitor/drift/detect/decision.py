"""What the nights of a set say about the last of them: which alarm, if any, and whether an old one is over."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from monitor.domain.detectable import DetectableEffect
from monitor.domain.evidence import Bridge, ChannelEvidence, Evidence, NoiseEvidence, Situation
from monitor.domain.finding import Interval
from monitor.drift.detect.alarm_size import for_new_cases
from monitor.drift.detect.announced_change import mix_looks, score_looks, two_sided
from monitor.drift.detect.channel_size import Measured
from monitor.drift.detect.channels import channel_evidence, from_log
from monitor.drift.detect.coverage import not_tested
from monitor.drift.detect.detectable import set_effects
from monitor.drift.detect.detector import DriftAlert, silent_needed, watch
from monitor.drift.detect.episode import drop_left, episode_of, still_there
from monitor.drift.detect.history import History
from monitor.drift.detect.improvements import improvements
from monitor.drift.detect.nightly_history import LEAST_BEFORE, Nights
from monitor.drift.detect.noise_floor import noise_evidence
from monitor.drift.detect.reference import Reference, reference_of
from monitor.drift.detect.window import Window
from monitor.drift.judge.consistency import consistency_evidence
from monitor.stats.failure_mix import class_tally
from monitor.stats.two_versions.comparison import compare_tallies
from monitor.stats.two_versions.group_sequential import last_look
from monitor.stats.two_versions.known_change import interval_spread
from monitor.stats.two_versions.paired_change import paired_change

NOISE_NIGHTS = 90  # newest nights of the baseline: noise may change with the season, and more tell little more


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Decision:
    """`watched` is False while the nights are too few for the watch: then two runs are compared, and no more.

    `alert` is an alarm of tonight (worse, a new kind of failure, or the judge), `stranger` says that another version
    seems to answer, `better` that the score rose after a known change. `still` tells of an open alert's drop: there,
    gone, or None when no drop of the watch is on call.
    """

    watched: bool
    evidence: Evidence
    alert: DriftAlert | None = None
    stranger: DriftAlert | None = None
    better: DriftAlert | None = None
    still: bool | None = None

    @property
    def told(self) -> DriftAlert | None:
        return self.alert or self.better or self.stranger


def decide(nights: Nights, run_id: str, open_alert: Evidence | None, opened_by: str | None) -> Decision | None:
    """What is to be said of the night of `run_id`, the last of the history; None when it is none of them.

    `open_alert` is the evidence of the finding that opened the set's alert, `opened_by` the run that it judged.
    """
    history = nights.history
    tonight = nights.index(run_id)
    if tonight is None or tonight != history.nights - 1:
        return None
    alerts = watch(history)
    reference = reference_of(history, [alert for alert in alerts if alert.night < tonight])
    ours = [alert for alert in alerts if alert.night == tonight]
    watched = tonight >= max(LEAST_BEFORE, history.baseline_nights)
    alert = _first(ours, ("score", "mix", "judge"))
    stranger = _first(ours, ("behaviour",))
    better = None if alert or reference.before is None or not watched else _better(history, tonight)
    episode = episode_of(nights, open_alert, opened_by)
    told = alert or better or stranger
    situation = _situation(reference, told, watched=watched, open_episode=open_alert is not None)
    still = None if episode is None else still_there(nights, episode)
    return Decision(
        watched=watched,
        evidence=_evidence(
            nights, reference, situation, told, drop_left(nights, episode) if episode and still else None
        ),
        alert=alert,
        stranger=stranger,
        better=better,
        still=still,
    )


def _first(alerts: Sequence[DriftAlert], kinds: Sequence[str]) -> DriftAlert | None:
    return next((alert for kind in kinds for alert in alerts if alert.kind == kind), None)


def _better(history: History, tonight: int) -> DriftAlert | None:
    return next((alert for alert in improvements(history) if alert.night == tonight), None)


def _situation(reference: Reference, told: DriftAlert | None, *, watched: bool, open_episode: bool) -> Situation:
    if not watched:
        return "learning"
    if told is not None:
        return "change" if told.trigger == "version" else "silent"
    if open_episode:
        return "episode"
    return "change" if reference.after_change else "silent"


def _evidence(
    nights: Nights,
    reference: Reference,
    situation: Situation,
    told: DriftAlert | None,
    open_drop: ChannelEvidence | None,
) -> Evidence:
    history = nights.history
    window = _baseline(reference, told, tonight=history.nights - 1)
    judged = Window(start=told.onset if told is not None else history.nights - 1, end=history.nights)
    own = (
        window if told is not None and told.trigger == "silent" else Window(start=reference.own.start, end=judged.start)
    )
    measured = Measured(history=history, before=own, after=judged)
    watched = own.end - reference.span.first_onset
    common = {
        "situation": situation,
        "nights": history.nights,
        "baseline_nights": window.end - window.start,
        "baseline_first_run": nights.nights[window.start].run_id if window.end > window.start else None,
        "baseline_last_run": nights.nights[window.end - 1].run_id if window.end > window.start else None,
        "bridge": _bridge(nights),
        "channels": channel_evidence(history, reference, measured) if situation != "learning" else (),
        "open_drop": open_drop,
        "noise": _noise(nights, window, set_effects(history, own, window, watched=watched)),
        "consistency": consistency_evidence(nights, reference) if situation != "learning" else None,
        "not_tested": not_tested(history, reference, learning=situation == "learning"),
    }
    if told is None:
        return Evidence(**common)  # type: ignore[arg-type]  # typed where they are made
    onset = nights.nights[told.onset]
    return Evidence(
        **common,  # type: ignore[arg-type]
        trigger=told.trigger,
        kind=told.kind,
        channel=told.channel,
        onset_run=onset.run_id,
        onset_at=onset.at,
        delta=told.delta,
        interval=None if told.ci is None else (told.ci.low, told.ci.high),
        interval_new_cases=_for_new_cases(history, window, told),
        e=told.e,
        e_needed=_e_needed(history, told),
        p=told.p,
        p_needed=_p_needed(history, reference, told),
    )


def _baseline(reference: Reference, told: DriftAlert | None, *, tonight: int) -> Window:
    """The nights that the judged ones are measured against."""
    if told is not None and told.trigger == "silent":
        return Window(start=reference.own.start, end=told.onset)
    if reference.before is not None and reference.after_change:
        return reference.before
    return Window(start=reference.own.start, end=tonight)


def _bridge(nights: Nights) -> Bridge:
    count = nights.history.tally.count
    tonight, earlier = count[-1] > 0, count[:-1].sum(axis=0) > 0
    return Bridge(
        cases=int(tonight.sum()),
        carried_over=int((tonight & earlier).sum()),
        revisions=len({night.revision for night in nights.nights}),
    )


def _noise(nights: Nights, window: Window, detectable: tuple[DetectableEffect, ...]) -> NoiseEvidence | None:
    history, start = nights.history, max(window.start, window.end - NOISE_NIGHTS)
    return noise_evidence(
        history.tally.between(start, window.end), nights.again.between(start, window.end), detectable=detectable
    )


def _for_new_cases(history: History, window: Window, told: DriftAlert) -> tuple[float, float] | None:
    """Clustered by case; of a failure category the interval of its rate, where more is worse."""
    if window.end <= window.start:
        return None
    interval = (
        _failing_of_new_cases(history, window, told) if told.kind == "mix" else _of_new_cases(history, window, told)
    )
    return None if interval is None else (interval.low, interval.high)


def _as_told(told: DriftAlert, these: Interval | None, others: Interval | None) -> Interval | None:
    """The interval for new cases around what was told, which an alarm chose."""
    if told.delta is None or told.ci is None or these is None or others is None:
        return others
    return for_new_cases(told.delta, told.ci, these, others)


def _of_new_cases(history: History, window: Window, told: DriftAlert) -> Interval | None:
    found = compare_tallies(
        history.tally.between(window.start, window.end),
        history.tally.between(told.onset, told.night + 1),
        history.categories,
        history.alpha_of_change,
    )
    channel = found.categories.get(told.channel) or found.overall
    return _as_told(told, channel.ci, channel.ci_new_cases)


def _failing_of_new_cases(history: History, window: Window, told: DriftAlert) -> Interval | None:
    tally = class_tally(history.failures[told.channel], history.labelled_count)
    before, after = tally.between(window.start, window.end), tally.between(told.onset, told.night + 1)
    everyone = np.ones(tally.count.shape[1], dtype=np.bool_)
    spread = interval_spread(before, after, everyone[:, None].astype(np.float64))
    change = paired_change(before, after, everyone, spread=float(spread[0]))
    return None if change is None else _as_told(told, change.these_cases, change.new_cases)


def _e_needed(history: History, told: DriftAlert) -> float | None:
    if told.e is None:
        return None
    needed = silent_needed(history, told.night)
    return from_log({"score": needed.score, "mix": needed.mix, "behaviour": needed.behaviour}[told.kind])


def _p_needed(history: History, reference: Reference, told: DriftAlert) -> float | None:
    look = last_look(told.night - told.onset + 1)
    if told.p is None or look is None:
        return None
    window = Window(start=told.onset, end=told.onset + look)
    before = reference.before if told.trigger == "version" else Window(start=reference.own.start, end=told.onset)
    if before is None:
        return None
    looks = (mix_looks if told.kind == "mix" else score_looks)(history, before, window, look, told.night)
    return two_sided(float(looks.bounds[looks.names.index(told.channel)]))
