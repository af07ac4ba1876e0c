"""What each channel says on the last night of a history, beside what it would have to say to be an alarm."""

import math
from collections.abc import Iterator

import numpy as np

from monitor.domain.evidence import ChannelEvidence, Kind
from monitor.drift.budget import change_shares, silent_thresholds
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


def channel_evidence(history: History, reference: Reference) -> tuple[ChannelEvidence, ...]:
    """First what the nights after a known change say, then what those of this version say by themselves."""
    return (*_after_change(history, reference), *_silent(history, reference))


def _silent(history: History, reference: Reference) -> Iterator[ChannelEvidence]:
    own = reference.own
    if reference.first_onset >= own.end:
        return
    evidence = silent_evidence(history, own.start, own.end, reference.first_onset)
    needed = silent_thresholds(history.alpha, history.horizon, labelled=history.labelled)
    yield from _of_kind("score", evidence.score, needed.score)
    if evidence.mix is not None:
        yield from _of_kind("mix", evidence.mix, needed.mix)
    yield from _of_kind("behaviour", evidence.behaviour, needed.behaviour)


def _of_kind(kind: Kind, channels: Channels, log_needed: float) -> Iterator[ChannelEvidence]:
    """All channels of a kind together, which decides, then each of them."""
    if len(channels.names) > 1:
        yield _e(kind, "all channels", float(channels.log_e[-1]), log_needed)
    for column, name in enumerate(channels.names):
        yield _e(kind, name, float(channels.evidence.log_e[-1, column]), log_needed)


def _e(kind: Kind, channel: str, log_e: float, log_needed: float) -> ChannelEvidence:
    return ChannelEvidence(kind=kind, channel=channel, e=from_log(log_e), e_needed=from_log(log_needed))


def from_log(log_e: float) -> float:
    return min(math.exp(min(log_e, 690.0)), LARGEST_E)


def _after_change(history: History, reference: Reference) -> Iterator[ChannelEvidence]:
    """At the latest planned look: the nights between two looks decide nothing by themselves."""
    look = last_look(reference.stretch.end - reference.stretch.start)
    if reference.before is None or not reference.after_change or look is None:
        return
    after = Window(start=reference.stretch.start, end=reference.stretch.start + look)
    shares = change_shares(labelled=history.labelled)
    names = channel_names(history)
    z = _z(history.tally, score_members(history), reference.before, after)
    bounds = channel_boundaries(history.alpha_of_change * shares.score, len(names) - 1, look)
    for column, name in enumerate(names):
        yield _p("score", name, float(-z[column]), float(bounds[column]))
    yield from _mix(history, reference.before, after, history.alpha_of_change * shares.mix)


def _mix(history: History, before: Window, after: Window, alpha: float) -> Iterator[ChannelEvidence]:
    names = sorted(name for name, counts in history.failures.items() if counts[after.start : after.end].sum() > 0)
    if not names or alpha <= 0.0:
        return
    bound = boundaries(alpha / len(names))[LOOKS.index(after.end - after.start)]
    everyone = np.ones((len(history.categories), 1))
    for name in names:
        tally = class_tally(history.failures[name], history.labelled_count)
        yield _p("mix", name, float(_z(tally, everyone, before, after)[0]), bound)


def _z(
    tally: NightTally, members: np.typing.NDArray[np.float64], before: Window, after: Window
) -> np.typing.NDArray[np.float64]:
    ties = np.full(members.shape[1], 0.5)
    return known_change_z(tally.between(before.start, before.end), tally.between(after.start, after.end), members, ties)


def _p(kind: Kind, channel: str, z: float, bound: float) -> ChannelEvidence:
    """`z` is positive where it got worse."""
    if math.isnan(z):
        return ChannelEvidence(kind=kind, channel=channel, p_needed=two_sided(bound))
    return ChannelEvidence(kind=kind, channel=channel, p=two_sided(z), p_needed=two_sided(bound), worse=z > 0)


def two_sided(z: float) -> float:
    from scipy.special import ndtr

    return max(2.0 * float(ndtr(-abs(z))), 1e-300)
