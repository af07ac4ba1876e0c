"""What the nights after a known change say: one look after the other, each kind with its own share of alpha."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from monitor.domain.finding import Interval
from monitor.drift.budget import change_shares
from monitor.drift.history import History
from monitor.drift.localise import narrowed
from monitor.drift.silent import OVERALL, channel_names, score_members
from monitor.drift.window import Window
from monitor.stats.failure_mix import class_tally
from monitor.stats.group_sequential import LOOKS, boundaries
from monitor.stats.known_change import interval_spread, known_change_z
from monitor.stats.paired_change import paired_change
from monitor.stats.two_version import channel_boundaries

Floats = NDArray[np.float64]
Kind = Literal["score", "mix"]


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownAlarm:
    """The first look that reached its boundary. `night` is the last night it looked at, `p` two-sided."""

    night: int
    kind: Kind
    channel: str
    p: float


def known_alarm(history: History, before: Window, after: Window, *, not_before: int = 0) -> KnownAlarm | None:
    """The first alarm of the looks after `after.start`; `after` ends where the version does. Looks whose last night is
    before `not_before` are passed over, but for the newest of them, which is taken then.
    """
    for night, look in _looks(after, not_before):
        window = Window(start=after.start, end=after.start + look)
        found = _score_alarm(history, before, window, look, night) or _mix_alarm(history, before, window, look, night)
        if found is not None:
            return found
    return None


def _looks(after: Window, not_before: int) -> list[tuple[int, int]]:
    """(night on which it is taken, nights after the change that it holds)."""
    possible = [look for look in LOOKS if look <= after.end - after.start]
    late = [look for look in possible if after.start + look - 1 < not_before]
    planned = [(after.start + look - 1, look) for look in possible if look not in late]
    caught_up = [(not_before, late[-1])] if late and not_before < after.end else []
    return caught_up + [each for each in planned if not caught_up or each[0] > not_before]


def _score_alarm(history: History, before: Window, after: Window, look: int, night: int) -> KnownAlarm | None:
    names = channel_names(history)
    uniforms = np.array([history.uniforms(f"score/{name}")[after.end - 1] for name in names])
    z = known_change_z(
        history.tally.between(before.start, before.end),
        history.tally.between(after.start, after.end),
        score_members(history),
        uniforms,
    )
    alpha = history.alpha_of_change * change_shares(labelled=history.labelled).score
    bounds = channel_boundaries(alpha, len(names) - 1, look)
    alarm = _alarm("score", names, -z, bounds, night)
    if alarm is None or alarm.channel != OVERALL:
        return alarm
    part = names.index(narrowed(history, before, after))
    by_itself = _alarm("score", names[part : part + 1], -z[part : part + 1], bounds[part : part + 1], night)
    return by_itself or alarm


def _mix_alarm(history: History, before: Window, after: Window, look: int, night: int) -> KnownAlarm | None:
    names = tuple(sorted(n for n, c in history.failures.items() if c[after.start : after.end].sum() > 0))
    alpha = history.alpha_of_change * change_shares(labelled=history.labelled).mix
    if not names or alpha <= 0.0:
        return None
    z = np.array([_class_z(history, name, before, after) for name in names])
    bound = boundaries(alpha / len(names))[LOOKS.index(look)]
    return _alarm("mix", names, z, np.full(len(names), bound), night)


def _class_z(history: History, name: str, before: Window, after: Window) -> float:
    tally = class_tally(history.failures[name], history.labelled_count)
    everyone = np.ones((len(history.categories), 1))
    uniforms = history.uniforms(f"mix/{name}")[after.end - 1 : after.end]
    return float(
        known_change_z(
            tally.between(before.start, before.end), tally.between(after.start, after.end), everyone, uniforms
        )[0]
    )


def _alarm(kind: Kind, names: tuple[str, ...], z: Floats, bounds: Floats, night: int) -> KnownAlarm | None:
    from scipy.special import ndtr

    excess = np.where(np.isnan(z), -np.inf, z - bounds)
    strongest = int(excess.argmax())
    if excess[strongest] < 0.0:
        return None
    p = max(2.0 * float(ndtr(-abs(z[strongest]))), 1e-300)
    return KnownAlarm(night=night, kind=kind, channel=names[strongest], p=p)


def channel_change(
    history: History, kind: str, channel: str, before: Window, after: Window
) -> tuple[float, Interval] | None:
    """Change of a channel's rate from one window to the other, with its 95 % interval for these cases."""
    if kind == "mix":
        tally, members = (
            class_tally(history.failures[channel], history.labelled_count),
            np.ones((history.tally.count.shape[1], 1)),
        )
    else:
        column = channel_names(history).index(channel)
        tally, members = history.tally, score_members(history)[:, column : column + 1]
    then, now = tally.between(before.start, before.end), tally.between(after.start, after.end)
    change = paired_change(then, now, members[:, 0] > 0, spread=float(interval_spread(then, now, members)[0]))
    return None if change is None else (change.delta, change.these_cases)
