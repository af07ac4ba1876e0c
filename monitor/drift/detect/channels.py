"""What each channel says on the last night of a history, beside what it would have to say to be an alarm."""

import math
from collections.abc import Iterator
from dataclasses import replace

from monitor.domain.evidence import ChannelEvidence, Kind
from monitor.drift.detect.announced_change import mix_looks, score_looks, two_sided
from monitor.drift.detect.budget import silent_thresholds
from monitor.drift.detect.channel_size import Measured
from monitor.drift.detect.detectable import announced_effects, silent_effects
from monitor.drift.detect.detector import LARGEST_E
from monitor.drift.detect.history import History
from monitor.drift.detect.reference import Reference
from monitor.drift.detect.unannounced_change import Channels, silent_evidence
from monitor.drift.detect.window import Window
from monitor.stats.two_versions.group_sequential import last_look

ALL_CHANNELS = "all channels"


def channel_evidence(history: History, reference: Reference, measured: Measured) -> tuple[ChannelEvidence, ...]:
    """First what the nights after a known change say, then what those of this version say by themselves. `measured`
    are the windows that silent drift is sized by.
    """
    return (*_after_change(history, reference), *_silent(history, reference, measured))


def _silent(history: History, reference: Reference, measured: Measured) -> Iterator[ChannelEvidence]:
    own = reference.own
    if reference.span.first_onset >= own.end:
        return
    needed = silent_thresholds(history.alpha, history.horizon, labelled=history.labelled_before(own.end - 1))
    evidence = silent_evidence(history, reference.span, needed.score)
    watched = max(measured.before.end - reference.span.first_onset, 0)
    yield from _of_kind("score", evidence.score, needed.score, measured, watched=watched)
    if evidence.mix is not None:
        yield from _of_kind("mix", evidence.mix, needed.mix, measured)
    yield from _of_kind("behaviour", evidence.behaviour, needed.behaviour, measured)


def _of_kind(
    kind: Kind, channels: Channels, log_needed: float, measured: Measured, *, watched: int = 0
) -> Iterator[ChannelEvidence]:
    """All channels of a kind together, which decides, then each of them."""
    if len(channels.names) > 1:
        yield _e(kind, ALL_CHANNELS, float(channels.log_e[-1]), log_needed)
    for column, name in enumerate(channels.names):
        row = _e(kind, name, float(channels.evidence.log_e[-1, column]), log_needed)
        if kind == "behaviour":
            yield row
            continue
        found = silent_effects(measured.history, measured.before, name, watched=watched) if kind == "score" else ()
        yield replace(row, **measured.size(kind, name), detectable=found)


def _e(kind: Kind, channel: str, log_e: float, log_needed: float) -> ChannelEvidence:
    return ChannelEvidence(kind=kind, channel=channel, e=from_log(log_e), e_needed=from_log(log_needed))


def from_log(log_e: float) -> float:
    return min(math.exp(min(log_e, 690.0)), LARGEST_E)


def _after_change(history: History, reference: Reference) -> Iterator[ChannelEvidence]:
    """At the latest planned look: the nights between two looks decide nothing by themselves."""
    after = look_window(reference)
    if reference.before is None or after is None:
        return
    look, night = after.end - after.start, reference.stretch.end - 1
    measured = Measured(history=history, before=reference.before, after=after)
    scores = score_looks(history, reference.before, after, look, night)
    for name, z, bound in zip(scores.names, scores.z, scores.bounds, strict=True):
        found = announced_effects(history, reference.before, name, look=look)
        row = _p("score", name, float(z), float(bound))
        yield replace(row, **measured.size("score", name), detectable=found)
    mix = mix_looks(history, reference.before, after, look, night)
    for name, z, bound in zip(mix.names, mix.z, mix.bounds, strict=True):
        yield replace(_p("mix", name, float(z), float(bound)), **measured.size("mix", name))


def look_window(reference: Reference) -> Window | None:
    """The nights after a known change that its latest look compares; None when no look goes on."""
    look = last_look(reference.stretch.end - reference.stretch.start)
    if reference.before is None or not reference.after_change or look is None:
        return None
    return Window(start=reference.stretch.start, end=reference.stretch.start + look)


def _p(kind: Kind, channel: str, z: float, bound: float) -> ChannelEvidence:
    """`z` is positive where it got worse."""
    if math.isnan(z):
        return ChannelEvidence(kind=kind, channel=channel, p_needed=two_sided(bound))
    return ChannelEvidence(kind=kind, channel=channel, p=two_sided(z), p_needed=two_sided(bound), worse=z > 0)
