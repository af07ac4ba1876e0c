"""What each channel says on the last night of a history, beside what it would have to say to be an alarm."""

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from monitor.domain.evidence import ChannelEvidence, Kind
from monitor.drift.budget import change_shares, silent_thresholds
from monitor.drift.channel_size import Measured
from monitor.drift.detectable import announced_effects, silent_effects
from monitor.drift.history import History
from monitor.drift.reference import Reference
from monitor.drift.silent import Channels, channel_names, score_members, silent_evidence
from monitor.drift.watch import LARGEST_E
from monitor.drift.window import Window
from monitor.stats.failure_mix import class_tally
from monitor.stats.group_sequential import LOOKS, boundaries, last_look
from monitor.stats.known_change import known_change_z
from monitor.stats.night_tally import NightTally
from monitor.stats.two_version import channel_boundaries

Floats = NDArray[np.float64]
ALL_CHANNELS = "all channels"


def channel_evidence(history: History, reference: Reference, measured: Measured) -> tuple[ChannelEvidence, ...]:
    """First what the nights after a known change say, then what those of this version say by themselves. `measured`
    are the windows that silent drift is sized by.
    """
    return (*_after_change(history, reference), *_silent(history, reference, measured))


def _silent(history: History, reference: Reference, measured: Measured) -> Iterator[ChannelEvidence]:
    own = reference.own
    if reference.first_onset >= own.end:
        return
    evidence = silent_evidence(history, own.start, own.end, reference.first_onset)
    needed = silent_thresholds(history.alpha, history.horizon, labelled=history.labelled)
    watched = max(measured.before.end - reference.first_onset, 0)
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
    look = after.end - after.start
    shares = change_shares(labelled=history.labelled)
    names = channel_names(history)
    measured = Measured(history=history, before=reference.before, after=after)
    ties = np.array([history.uniforms(f"score/{name}")[after.end - 1] for name in names])  # those of `known_alarm`
    z = _z(history.tally, score_members(history), reference.before, after, ties)
    alpha = history.alpha_of_change * shares.score
    bounds = channel_boundaries(alpha, len(names) - 1, look)
    for column, name in enumerate(names):
        found = announced_effects(history, reference.before, name, look=look)
        row = _p("score", name, float(-z[column]), float(bounds[column]))
        yield replace(row, **measured.size("score", name), detectable=found)
    yield from _mix(history, measured, history.alpha_of_change * shares.mix)


def look_window(reference: Reference) -> Window | None:
    """The nights after a known change that its latest look compares; None when no look goes on."""
    look = last_look(reference.stretch.end - reference.stretch.start)
    if reference.before is None or not reference.after_change or look is None:
        return None
    return Window(start=reference.stretch.start, end=reference.stretch.start + look)


def _mix(history: History, measured: Measured, alpha: float) -> Iterator[ChannelEvidence]:
    before, after = measured.before, measured.after
    names = sorted(name for name, counts in history.failures.items() if counts[after.start : after.end].sum() > 0)
    if not names or alpha <= 0.0:
        return
    bound = boundaries(alpha / len(names))[LOOKS.index(after.end - after.start)]
    everyone = np.ones((len(history.categories), 1))
    for name in names:
        tally = class_tally(history.failures[name], history.labelled_count)
        ties = history.uniforms(f"mix/{name}")[after.end - 1 : after.end]
        row = _p("mix", name, float(_z(tally, everyone, before, after, ties)[0]), bound)
        yield replace(row, **measured.size("mix", name))


def _z(tally: NightTally, members: Floats, before: Window, after: Window, ties: Floats) -> Floats:
    return known_change_z(tally.between(before.start, before.end), tally.between(after.start, after.end), members, ties)


def _p(kind: Kind, channel: str, z: float, bound: float) -> ChannelEvidence:
    """`z` is positive where it got worse."""
    if math.isnan(z):
        return ChannelEvidence(kind=kind, channel=channel, p_needed=two_sided(bound))
    return ChannelEvidence(kind=kind, channel=channel, p=two_sided(z), p_needed=two_sided(bound), worse=z > 0)


def two_sided(z: float) -> float:
    from scipy.special import ndtr

    return max(2.0 * float(ndtr(-abs(z))), 1e-300)
