"""Detects improvements by running the regression test on negated scores."""

from dataclasses import replace

from monitor.domain.finding import Interval
from monitor.drift.detect.detector import DriftAlert, detect_alerts
from monitor.drift.detect.history import History
from monitor.stats.night_tally import NightTally


def detect_improvements(history: History) -> tuple[DriftAlert, ...]:
    """Return rises after an announced change, beyond the boundaries that a fall must reach. Failure categories have no
    improvement.
    """
    alerts = detect_alerts(replace(history, tally=_negated_tally(history.tally), failures={}))
    return tuple(_negated_alert(alert) for alert in alerts if alert.kind == "score" and alert.trigger == "version")


def _negated_tally(tally: NightTally) -> NightTally:
    """Return the sums of 1 - x, of its square and of its cube."""
    n, first, second, third = tally.count, tally.first, tally.second, tally.third
    negated = n - first
    if tally.binary:
        return NightTally(count=n, first=negated, second=negated, third=negated)
    return NightTally(count=n, first=negated, second=n - 2 * first + second, third=n - 3 * first + 3 * second - third)


def _negated_alert(alert: DriftAlert) -> DriftAlert:
    ci = alert.ci
    return replace(
        alert,
        delta=None if alert.delta is None else -alert.delta,
        ci=None if ci is None else Interval(low=-ci.high, high=-ci.low),
    )
