"""Compares the newest nights with a pinned run, to detect a slow decline that accepted baselines hide."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from monitor.domain.baseline import Pin
from monitor.domain.evidence import PinnedRunEvidence, PinStatus, Range
from monitor.domain.finding import Interval
from monitor.domain.nights import Night
from monitor.domain.policy import DriftPolicy
from monitor.drift.detect.nightly_history import Nights
from monitor.drift.detect.window import Window
from monitor.stats.two_versions.comparison import ChannelChange, compare_tallies, membership
from monitor.stats.two_versions.known_change import known_change_z

Floats = NDArray[np.float64]
SHARE = 0.1  # of alpha_silent that a pin takes from the detector
WEEK = 7  # days: every weekday once, and one look a week leaves each more of the share than one a night
DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class WeekTest:
    """One test of the nights of one week. `p` is one-sided, of the channel nearest to its `needed`."""

    nights: Window
    channel: str
    p: float
    needed: float
    above: bool  # the overall interval reaches up to the pinned level

    @property
    def worse(self) -> bool:
        return self.p <= self.needed


def policy_with_pin(policy: DriftPolicy) -> DriftPolicy:
    """Return the policy of the detector while a run is pinned. Both tests together keep the error rate of one."""
    return replace(policy, alpha_silent=policy.alpha_silent * (1.0 - SHARE))


def look_alpha(policy: DriftPolicy, nights: int) -> float:
    """Return the alpha of a look at this many nights: the nights of the horizon have equal shares. `policy` is that
    without a pin.

    >>> from types import SimpleNamespace
    >>> round(look_alpha(SimpleNamespace(alpha_silent=0.05, horizon_nights=180), 7), 6)
    0.000194
    """
    return policy.alpha_silent * SHARE * min(1.0, nights / policy.horizon_nights)


def pinned_run_evidence(
    nights: Nights, pin: Pin, policy: DriftPolicy, *, accepted_at: datetime | None
) -> PinnedRunEvidence | None:
    """Return the state of the last of the `nights`; None when all pinned nights have expired.

    Idea:      the reference never moves: it is the same nights for as long as the pin exists. Each week after it, when
               complete, is compared with it by `known_change_z`, overall and per category.
    Errors:    P(alarm | every case passes as often as in the pinned nights) <= SHARE alpha_silent over the horizon. The
               looks share it by their nights (Bonferroni, valid under any dependence: they all use the pinned nights):
               half of a look for overall, half for the categories.
    Status:    `below` from the first look that reaches its share until a later look whose interval reaches the pinned
               level; `accepted` when a baseline was accepted after that alarm.
    """
    pinned = _pinned_window(nights, pin)
    if pinned.end <= pinned.start:
        return None
    judges = nights.history.judges
    after = Window(start=pinned.end, end=nights.history.nights)
    evidence = PinnedRunEvidence(
        pin_id=pin.id,
        run_id=pin.run_id,
        nights=pinned.end - pinned.start,
        recent_nights=min(WEEK, after.end - after.start),
        status="other_judge",
        looks=0,
    )
    if len(set(judges[pinned.start : after.end])) > 1 or after.end <= after.start:
        return evidence if after.end > after.start else replace(evidence, status="waiting")
    looks = [_test_week(nights, pinned, week, policy) for week in _weeks(nights, pin, after)]
    alarm = _active_alarm(looks)
    newest = looks[-1] if looks else None
    change = _change(nights, pinned, Window(start=after.end - evidence.recent_nights, end=after.end))
    return replace(
        evidence,
        delta=change.delta,
        interval=_range(change.ci),
        interval_new_cases=_range(change.ci_new_cases),
        status=_status(nights, looks, alarm, accepted_at),
        looks=len(looks),
        channel=newest.channel if newest else None,
        p=newest.p if newest else None,
        p_needed=newest.needed if newest else None,
        detected_run=nights.nights[alarm.nights.end - 1].run_id if alarm else None,
    )


def _pinned_window(nights: Nights, pin: Pin) -> Window:
    inside = [t for t, night in enumerate(nights.nights) if pin.counts_from <= night.at <= pin.counts_to]
    return Window(start=inside[0], end=inside[-1] + 1) if inside else Window(start=0, end=0)


def _weeks(nights: Nights, pin: Pin, after: Window) -> Iterator[Window]:
    """Yield the complete weeks by the calendar, so that expired nights move none. The first night of the last day ends
    a week.
    """
    days = [max(1, round((night.at - pin.counts_to) / DAY)) for night in nights.nights[after.start :]]
    for week, group in groupby(range(len(days)), key=lambda t: (days[t] - 1) // WEEK):
        inside = list(group)
        last = next((t for t in inside if days[t] == (week + 1) * WEEK), None)
        if last is None and inside[-1] + 1 < len(days):
            last = inside[-1]
        if last is not None:
            yield Window(start=after.start + inside[0], end=after.start + last + 1)


def _test_week(nights: Nights, pinned: Window, recent: Window, policy: DriftPolicy) -> WeekTest:
    from scipy.special import ndtr

    history = nights.history
    names = sorted(set(history.categories))
    members = membership(history.categories, names)
    before, now = (history.tally.between(window.start, window.end) for window in (pinned, recent))
    z = known_change_z(before, now, members)
    p = np.where(np.isnan(z), 1.0, ndtr(z))
    needed = _alpha_shares(look_alpha(policy, recent.end - recent.start), len(names))
    nearest = int(np.argmin(np.log(np.maximum(p, 1e-300)) - np.log(needed)))
    interval = _change(nights, pinned, recent).ci
    return WeekTest(
        nights=recent,
        channel=("overall", *names)[nearest],
        p=float(max(p[nearest], 1e-300)),
        needed=float(needed[nearest]),
        above=interval is not None and interval.high >= 0.0,
    )


def _alpha_shares(alpha: float, categories: int) -> Floats:
    """Return [1 + categories]: half for overall, the rest for the categories; all of it where there is only one."""
    if categories <= 1:
        return np.array([alpha, *[1e-300] * categories])
    return np.array([alpha / 2.0, *[alpha / 2.0 / categories] * categories])


def _change(nights: Nights, pinned: Window, recent: Window) -> ChannelChange:
    """Return the difference of the recent nights to the pinned ones, on the cases of both."""
    history = nights.history
    before, now = (history.tally.between(window.start, window.end) for window in (pinned, recent))
    return compare_tallies(before, now, history.categories, history.alpha_of_change).overall


def _range(interval: Interval | None) -> Range | None:
    return None if interval is None else (interval.low, interval.high)


def _active_alarm(looks: Sequence[WeekTest]) -> WeekTest | None:
    """Return the look whose alarm is active; None when a later look ended it."""
    alarm: WeekTest | None = None
    for look in looks:
        if alarm is None and look.worse:
            alarm = look
        elif alarm is not None and not look.worse and look.above:
            alarm = None
    return alarm


def _status(
    nights: Nights, looks: Sequence[WeekTest], alarm: WeekTest | None, accepted_at: datetime | None
) -> PinStatus:
    if alarm is None:
        return "level" if looks else "waiting"
    accepted = accepted_at is not None and accepted_at >= nights.nights[alarm.nights.end - 1].at
    return "accepted" if accepted else "below"


def nights_to_pin(nights: Nights, run_id: str, limit: int) -> tuple[Night, ...]:
    """Return the run and up to `limit` nights of the same version and judge that end with it; none when the run is not
    a night.

    One night alone has the luck of that night: a good one would make all later nights look worse.
    """
    last = nights.index(run_id)
    if last is None:
        return ()
    first = last
    while first > 0 and last - first + 1 < limit and _same_version_and_judge(nights, first - 1, last):
        first -= 1
    return nights.nights[first : last + 1]


def _same_version_and_judge(nights: Nights, one: int, other: int) -> bool:
    history = nights.history
    return history.versions[one] == history.versions[other] and history.judges[one] == history.judges[other]
