"""Compares two versions on the same cases: the change overall and per category, and whether it is an alarm."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from monitor.domain.finding import Interval
from monitor.stats.night_tally import NightTally
from monitor.stats.normal import normal_cdf
from monitor.stats.two_versions.group_sequential import LOOKS, boundaries, last_look
from monitor.stats.two_versions.known_change import interval_spread, known_change_z
from monitor.stats.two_versions.paired_change import PairedChange, paired_change

Floats = NDArray[np.float64]
OVERALL_SHARE = 0.62  # of the alpha of a known change, where there are categories
OVERALL_FIRST = 0.55  # of the overall share, spent on the first night ...
PART_FIRST = 0.22  # ... of a category's share ...
ALONE_FIRST = 0.3  # ... and of all, where there is only one channel


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelChange:
    """The change of one channel. `delta` is after minus before, `ci` its 95 % interval for these cases, `ci_new_cases`
    for other cases like them. `p` is the two-sided p-value, 1.0 where nothing is known. `alarm` is whether the look
    reached its lower boundary.
    """

    n: int
    before: float | None
    after: float | None
    delta: float | None
    ci: Interval | None
    ci_new_cases: Interval | None
    p: float
    z: float | None
    alarm: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoVersions:
    overall: ChannelChange
    categories: Mapping[str, ChannelChange]
    look: int | None  # how many nights after the change `alarm` rests on

    @property
    def alarm(self) -> bool:
        return self.overall.alarm or any(channel.alarm for channel in self.categories.values())


def compare(
    before: Floats, after: Floats, categories: Sequence[object] | NDArray[np.generic], alpha: float = 0.05
) -> TwoVersions:
    """Return the change from the nights `before` to the nights `after`, overall and per category.

    Formula:   delta and ci as in `paired_change`, p and alarm from `known_change_z`. An alarm is a score at or below
               minus the boundary of its look (`boundaries`; 1, 2, 3, 5, 7, 10, 14, 21 and 30 nights), the last look
               that the nights allow: 62 % of alpha for overall, the rest shared by the categories. Looking
               again every night until the 30th errs, over all channels together, with at most alpha.
    Range:     delta in [-1, 1], p in (0, 1].
    Direction: negative is worse; only a drop is an alarm.
    Shapes:    before [Nb, n, k], after [Na, n, k] float scores in [0, 1] (k may differ), categories [n] names.
    Empty:     NaN pads a missing or unscored sample and is left out. A channel without a case seen on both sides has
               delta and ci None, p 1 and no alarm. No night after the change: no look, no alarm.
    Smallest:  one night on each side. See `known_change_z` for what a dozen nights add.
    Source:    `paired_change`, `known_change_z`, `boundaries`.
    Differs:   see there.

    >>> rng = np.random.default_rng(1)
    >>> rates = rng.beta(4.0, 1.0, size=200)
    >>> then, now = rng.random((14, 200, 1)) < rates[:, None], rng.random((3, 200, 1)) < rates[:, None] - 0.15
    >>> found = compare(then.astype(float), now.astype(float), ["refunds", "orders"] * 100, alpha=0.05)
    >>> round(found.overall.delta, 2), found.overall.alarm, sorted(found.categories)
    (-0.16, True, ['orders', 'refunds'])
    """
    names = [str(name) for name in categories]
    _check(before, after, names, alpha)
    return compare_tallies(NightTally.of_values(before), NightTally.of_values(after), names, alpha)


def compare_tallies(
    before: NightTally, after: NightTally, categories: Sequence[str], alpha: float, *, repeats: NightTally | None = None
) -> TwoVersions:
    """Return the same from sums; `repeats` are the repeated answers of the nights after the change."""
    names = sorted(set(categories))
    members = membership(categories, names)
    look = last_look(after.nights)
    z = known_change_z(before, after, members, repeats)
    if len(names) == 1:
        z[1:] = z[0]  # the same cases
    at_look = z
    if look not in {None, after.nights}:
        looked = None if repeats is None else repeats.between(0, look or 0)
        at_look = known_change_z(before, after.between(0, look or 0), members, looked)
    alarms = np.zeros(z.size, dtype=bool) if look is None else at_look <= -channel_boundaries(alpha, len(names), look)
    spread = interval_spread(before, after, members)
    channels = [
        _channel(
            paired_change(before, after, members[:, c] > 0, spread=float(spread[c])), float(z[c]), alarm=bool(alarms[c])
        )
        for c in range(z.size)
    ]
    return TwoVersions(overall=channels[0], categories=dict(zip(names, channels[1:], strict=True)), look=look)


def membership(categories: Sequence[str], names: Sequence[str]) -> Floats:
    """Return [n, 1 + len(names)]: 1.0 where a case belongs to a channel; the first channel is overall."""
    is_member = (
        np.asarray(categories)[:, None] == np.asarray(names)[None, :] if len(names) else np.zeros((len(categories), 0))
    )
    return np.concatenate([np.ones((len(categories), 1)), is_member.astype(np.float64)], axis=1)


def channel_boundaries(alpha: float, categories: int, look: int) -> Floats:
    """Return [1 + categories]: the score that each channel must reach.

    Overall has most of alpha, and spends nearly half of it on the first night. The categories share the rest and spend
    little of it on that night, when the noise of a new version is only estimated.
    """
    index = LOOKS.index(look)
    if categories <= 1:
        return np.array([boundaries(alpha, first_share=ALONE_FIRST)[index], *[np.inf] * categories])
    each = boundaries(part_alpha(alpha, categories), first_share=PART_FIRST)[index]
    return np.array([boundaries(alpha * OVERALL_SHARE, first_share=OVERALL_FIRST)[index], *[each] * categories])


def part_alpha(alpha: float, categories: int) -> float:
    """Return the alpha of one of several categories."""
    return alpha * (1.0 - OVERALL_SHARE) / categories


def _channel(change: PairedChange | None, z: float, *, alarm: bool) -> ChannelChange:
    known = not np.isnan(z)
    return ChannelChange(
        n=change.n if change else 0,
        before=change.before if change else None,
        after=change.after if change else None,
        delta=change.delta if change else None,
        ci=change.these_cases if change else None,
        ci_new_cases=change.new_cases if change else None,
        p=2.0 * normal_cdf(-abs(z)) if known else 1.0,
        z=z if known else None,
        alarm=alarm,
    )


def _check(before: Floats, after: Floats, categories: Sequence[str], alpha: float) -> None:
    for name, values in (("before", before), ("after", after)):
        if values.ndim != 3 or values.shape[1] != len(categories):
            raise ValueError(
                f"{name} has the shape {values.shape}; expected [nights, {len(categories)} cases, samples], "
                "one category for each case"
            )
    if not 0.0 < alpha < 0.5:
        raise ValueError(f"alpha must be between 0 and 0.5, got {alpha}")
