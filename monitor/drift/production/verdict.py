"""The verdict on a production series from its days alone, so that a restart does not change it."""

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

import numpy as np

from monitor.domain.finding import Verdict
from monitor.domain.production import ProductionPolicy, Series
from monitor.drift.production.change import SeriesChange, find_recovery, series_change
from monitor.drift.production.points import Floats, Points, Whole
from monitor.stats.change_point.rate_monitor import monitor_rate
from monitor.stats.change_point.robust_monitor import monitor_level
from monitor.stats.change_point.series import SeriesMonitor, Worse
from monitor.stats.multiplicity import split_alpha

WEEK = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesVerdict:
    """The verdict on the last day. `days` count since the last restart, `missing` are still needed.

    - `log_e`: the evidence; for a regression that of the day of its alarm.
    - `onset`, `change`: of a regression or improvement.
    - `recovered`: the first usual day, when the last day ended a regression.
    - `expired_onset`: the onset of an open alert whose usual days have expired.
    """

    verdict: Verdict
    days: int
    missing: int
    log_e: float
    log_threshold: float
    onset: date | None = None
    change: SeriesChange | None = None
    recovered: date | None = None
    expired_onset: date | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rule:
    name: str  # of deployment and series: what makes the draws of one unlike those of another
    baseline: int
    alpha: float
    horizon: int


def alpha_shares(policy: ProductionPolicy) -> Mapping[Series, float]:
    """Return the share of each series of the false alarms of the deployment: equal shares."""
    shares = split_alpha({series.value: 1.0 for series in policy.series}, policy.alpha)
    return {Series(name): alpha for name, alpha in shares.items()}


def first_day(last: date, policy: ProductionPolicy) -> date:
    """Return the first day that is evaluated. It moves by whole blocks, so that most nights judge the same days as the
    night before.

    It is at most `history_days` before the day after `last`. A block is half of the days beyond the baseline, in whole
    weeks, and at least one week.
    """
    block = _block(policy)
    oldest = last.toordinal() + 1 - policy.history_days
    return date.fromordinal(-(-oldest // block) * block)


def effective_horizon(policy: ProductionPolicy) -> int:
    """Return the horizon with the days that are judged again after a block has moved: alpha holds over all of them."""
    monitored = max(policy.history_days - policy.baseline_days, 1)
    return math.ceil(policy.horizon_days * max(monitored / _block(policy), 1.0))


def judge_series(
    points: Points, deployment: str, series: Series, policy: ProductionPolicy, open_onset: date | None = None
) -> SeriesVerdict:
    """Return the verdict on the last of `points`, oldest first. `open_onset` is the onset of the open alert, or None.

    Formula:   the monitor of the series (`monitor_rate` or `monitor_level`, worse is up) runs until it alarms. From
               then on the question is whether the series recovered (`find_recovery`). Then the bad days are removed,
               and the monitor continues with all usual days as its past. An improvement is the same test in the other
               direction on the last day.
    Range:     the probability of any false regression within the horizon is at most the share of alpha of the series.
    Empty:     no more days than the baseline are `insufficient`; so is an open alert with fewer usual days than that.
    Source:    see `monitor_rate`, `monitor_level`, `series_change`.
    Differs:   in nothing.
    """
    rule = _Rule(
        name=f"{deployment}\n{series.value}",
        baseline=policy.baseline_days,
        alpha=alpha_shares(policy)[series],
        horizon=effective_horizon(policy),
    )
    log_threshold = math.log(rule.horizon / rule.alpha)
    nothing = SeriesVerdict(
        verdict=Verdict.INSUFFICIENT, days=len(points.days), missing=0, log_e=-math.inf, log_threshold=log_threshold
    )
    if open_onset is not None and sum(day < open_onset for day in points.days) < rule.baseline:
        return replace(nothing, expired_onset=open_onset)
    kept_days: Whole = np.arange(len(points.days), dtype=np.int64)
    monitored, recovered = rule.baseline, None
    while len(kept_days) > rule.baseline:
        # 1. Monitor the usual days until the first alarm.
        monitor = _monitor(points.take(kept_days), rule, monitored, "up")
        if monitor.alarm is None or monitor.onset is None:
            return _no_regression(points, kept_days, rule, monitor, monitored, recovered)
        # 2. Split at the onset that the monitor estimates.
        before, onset, alarm = kept_days[: monitor.onset], int(kept_days[monitor.onset]), int(kept_days[monitor.alarm])
        usual, since = points.take(before), points.take(np.arange(onset, len(points.days)))
        alarm_days = alarm + 1 - onset
        if series_change(usual, since.take(np.arange(alarm_days))).effect <= 0.0:
            monitored = monitor.alarm + 1  # what crossed is no worse than before, weekday by weekday
            continue
        # 3. Look for a recovery among the days after the alarm.
        back = find_recovery(usual, since, alarm_days)
        if back is None:
            return SeriesVerdict(
                verdict=Verdict.REGRESSION,
                days=len(kept_days),
                missing=0,
                log_e=float(monitor.log_e[monitor.alarm]),
                log_threshold=log_threshold,
                onset=points.days[onset],
                change=series_change(usual, since),
            )
        first_usual, confirmed = (onset + day for day in back)
        recovered = points.days[first_usual] if confirmed == len(points.days) - 1 else None
        # 4. Remove the bad days and continue after the recovery.
        monitored = len(before)
        kept_days = np.concatenate([before, np.arange(first_usual, len(points.days), dtype=np.int64)])
    return replace(nothing, days=len(kept_days), missing=rule.baseline + 1 - len(kept_days))


def _no_regression(  # noqa: PLR0917 - the state of the monitor
    points: Points, kept_days: Whole, rule: _Rule, monitor: SeriesMonitor, monitored: int, recovered: date | None
) -> SeriesVerdict:
    """Return the verdict without a regression: an improvement on the last day, or ok."""
    days = points.take(kept_days)
    improvement = _monitor(days, rule, monitored, "down")
    onset = None
    if improvement.log_e[-1] >= improvement.log_threshold and improvement.onset is not None:
        onset = improvement.onset
    return SeriesVerdict(
        verdict=Verdict.OK if onset is None else Verdict.IMPROVEMENT,
        days=len(kept_days),
        missing=0,
        log_e=float(monitor.log_e[-1] if onset is None else improvement.log_e[-1]),
        log_threshold=monitor.log_threshold,
        onset=None if onset is None else days.days[onset],
        change=None
        if onset is None
        else series_change(days.take(np.arange(onset)), days.take(np.arange(onset, len(days.days)))),
        recovered=recovered,
    )


def _monitor(points: Points, rule: _Rule, monitored: int, worse: Worse) -> SeriesMonitor:
    uniforms = _uniforms(points.days, rule.name)
    if points.rate:
        return monitor_rate(
            points.events,
            points.trials,
            points.weekday,
            uniforms,
            baseline=monitored,
            alpha=rule.alpha,
            horizon=rule.horizon,
            worse=worse,
        )
    return monitor_level(
        points.value,
        points.weekday,
        uniforms,
        baseline=monitored,
        alpha=rule.alpha,
        horizon=rule.horizon,
        worse=worse,
    )


def _block(policy: ProductionPolicy) -> int:
    return max(WEEK, (policy.history_days - policy.baseline_days) // (2 * WEEK) * WEEK)


def _uniforms(days: Sequence[date], name: str) -> Floats:
    """Return numbers in [0, 1) that depend on the day and the name only."""
    digests = [hashlib.sha256(f"{name}\n{day.isoformat()}".encode()).digest() for day in days]
    return np.array([int.from_bytes(digest[:6], "big") / 2.0**48 for digest in digests])
