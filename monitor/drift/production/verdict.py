"""Is a production series still what it was? From its days alone, so that a restart changes nothing."""

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
    """What the days say on the last of them. `days` count since the last restart, `missing` are still needed.

    `log_e` is the evidence, of a regression that on the day it was told. `onset` and `change` are those of a regression
    or improvement; `recovered` is the first usual day, where the last day ended a regression. `expired_onset` is the
    onset of an open alert whose usual days are not kept any more.
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
    """Each series has the same part of the deployment's false alarms."""
    shares = split_alpha({series.value: 1.0 for series in policy.series}, policy.alpha)
    return {Series(name): alpha for name, alpha in shares.items()}


def first_day(last: date, policy: ProductionPolicy) -> date:
    """From where on days are looked at: it moves by whole blocks, so that most nights judge what the night before did.

    It lies at most `history_days` before the day after `last`. A block is half of what is left beyond the baseline, in
    whole weeks, and at least one.
    """
    block = _block(policy)
    oldest = last.toordinal() + 1 - policy.history_days
    return date.fromordinal(-(-oldest // block) * block)


def effective_horizon(policy: ProductionPolicy) -> int:
    """The horizon with the days that are judged again after a block has moved on: alpha holds over all of them."""
    monitored = max(policy.history_days - policy.baseline_days, 1)
    return math.ceil(policy.horizon_days * max(monitored / _block(policy), 1.0))


def judge_series(
    points: Points, deployment: str, series: Series, policy: ProductionPolicy, open_onset: date | None = None
) -> SeriesVerdict:
    """The verdict on the last of `points`, oldest first. `open_onset` is the onset of the open alert, if there is one.

    Formula:   the watch of the series (`monitor_rate` or `monitor_level`, worse is up) runs until it alarms; from then
               on the question is whether the days are back (`find_recovery`). What was worse is left out, and the watch
               goes on after it with all usual days as its past. An improvement is the mirrored watch, tonight.
    Range:     the chance of any false regression within the horizon is at most the series' share of alpha.
    Empty:     no day, or no more than the baseline, is `insufficient`; so is an open alert of which fewer usual days
               than that are left.
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


def _no_regression(  # noqa: PLR0917 - the state of the watch, part by part
    points: Points, kept_days: Whole, rule: _Rule, monitor: SeriesMonitor, monitored: int, recovered: date | None
) -> SeriesVerdict:
    """No regression: better tonight, or nothing to tell."""
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
    """In [0, 1): the same for the same day, whenever it is asked."""
    digests = [hashlib.sha256(f"{name}\n{day.isoformat()}".encode()).digest() for day in days]
    return np.array([int.from_bytes(digest[:6], "big") / 2.0**48 for digest in digests])
