"""The evidence of each channel on the last night of a history, with the threshold that raises an alarm."""

import math
from collections.abc import Iterator
from dataclasses import replace

from monitor.domain.evidence import ChannelEvidence, Kind
from monitor.drift.detect.announced_change import mix_look, score_look, two_sided_p
from monitor.drift.detect.budget import unannounced_thresholds
from monitor.drift.detect.channel_size import WindowComparison
from monitor.drift.detect.detectable import announced_effects, unannounced_effects
from monitor.drift.detect.detector import LARGEST_E
from monitor.drift.detect.history import History
from monitor.drift.detect.reference import Reference
from monitor.drift.detect.unannounced_change import Channels, unannounced_change_evidence
from monitor.drift.detect.window import Window
from monitor.stats.two_versions.group_sequential import last_look

ALL_CHANNELS = "all channels"


def channel_evidence(
    history: History, reference: Reference, comparison: WindowComparison
) -> tuple[ChannelEvidence, ...]:
    """Return the evidence after an announced change, then the evidence for an unannounced change.

    `comparison` has the windows that give the size of an unannounced change.
    """
    return (*_announced(history, reference), *_unannounced(history, reference, comparison))


def _unannounced(history: History, reference: Reference, comparison: WindowComparison) -> Iterator[ChannelEvidence]:
    own_nights = reference.own_nights
    if reference.span.first_onset >= own_nights.end:
        return
    thresholds = unannounced_thresholds(
        history.alpha, history.horizon, labelled=history.labelled_before(own_nights.end - 1)
    )
    evidence = unannounced_change_evidence(history, reference.span, thresholds.score)
    candidate_onsets = max(comparison.before.end - reference.span.first_onset, 0)
    yield from _kind_evidence("score", evidence.score, thresholds.score, comparison, candidate_onsets=candidate_onsets)
    if evidence.mix is not None:
        yield from _kind_evidence("mix", evidence.mix, thresholds.mix, comparison)
    yield from _kind_evidence("behaviour", evidence.behaviour, thresholds.behaviour, comparison)


def _kind_evidence(
    kind: Kind, channels: Channels, log_needed: float, comparison: WindowComparison, *, candidate_onsets: int = 0
) -> Iterator[ChannelEvidence]:
    """Yield the evidence of all channels of a kind together, which decides, then of each channel."""
    if len(channels.names) > 1:
        yield _e_row(kind, ALL_CHANNELS, float(channels.log_e[-1]), log_needed)
    for column, name in enumerate(channels.names):
        row = _e_row(kind, name, float(channels.evidence.log_e[-1, column]), log_needed)
        if kind == "behaviour":
            yield row
            continue
        effects = (
            unannounced_effects(comparison.history, comparison.before, name, candidate_onsets=candidate_onsets)
            if kind == "score"
            else ()
        )
        yield replace(row, **comparison.size(kind, name), detectable=effects)


def _e_row(kind: Kind, channel: str, log_e: float, log_needed: float) -> ChannelEvidence:
    return ChannelEvidence(kind=kind, channel=channel, e=e_from_log(log_e), e_needed=e_from_log(log_needed))


def e_from_log(log_e: float) -> float:
    return min(math.exp(min(log_e, 690.0)), LARGEST_E)


def _announced(history: History, reference: Reference) -> Iterator[ChannelEvidence]:
    """Yield the evidence at the latest planned look. Nights between two looks decide nothing."""
    after = look_window(reference)
    if reference.before is None or after is None:
        return
    look, night = after.end - after.start, reference.segment.end - 1
    comparison = WindowComparison(history=history, before=reference.before, after=after)
    scores = score_look(history, reference.before, after, look, night)
    for name, z, bound in zip(scores.names, scores.z, scores.bounds, strict=True):
        effects = announced_effects(history, reference.before, name, look=look)
        row = _p_row("score", name, float(z), float(bound))
        yield replace(row, **comparison.size("score", name), detectable=effects)
    mix = mix_look(history, reference.before, after, look, night)
    for name, z, bound in zip(mix.names, mix.z, mix.bounds, strict=True):
        yield replace(_p_row("mix", name, float(z), float(bound)), **comparison.size("mix", name))


def look_window(reference: Reference) -> Window | None:
    """Return the nights after an announced change that its latest look compares; None when no look is active."""
    look = last_look(reference.segment.end - reference.segment.start)
    if reference.before is None or not reference.after_change or look is None:
        return None
    return Window(start=reference.segment.start, end=reference.segment.start + look)


def _p_row(kind: Kind, channel: str, z: float, bound: float) -> ChannelEvidence:
    """Return the evidence of one channel; `z` is positive for worse."""
    if math.isnan(z):
        return ChannelEvidence(kind=kind, channel=channel, p_needed=two_sided_p(bound))
    return ChannelEvidence(kind=kind, channel=channel, p=two_sided_p(z), p_needed=two_sided_p(bound), worse=z > 0)
