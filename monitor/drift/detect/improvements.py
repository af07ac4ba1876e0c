"""Better is worse upside down: the same test, asked of 1 - x."""

from dataclasses import replace

from monitor.domain.finding import Interval
from monitor.drift.detect.detector import DriftAlert, watch
from monitor.drift.detect.history import History
from monitor.stats.night_tally import NightTally


def improvements(history: History) -> tuple[DriftAlert, ...]:
    """Rises after a known change, beyond the boundaries that a fall of the score has to pass. Kinds of failure have no
    opposite and are not asked.
    """
    found = watch(replace(history, tally=_mirrored(history.tally), failures={}))
    return tuple(_turned(alert) for alert in found if alert.kind == "score" and alert.trigger == "version")


def _mirrored(tally: NightTally) -> NightTally:
    """Sums of 1 - x, of its square and of its cube."""
    n, first, second, third = tally.count, tally.first, tally.second, tally.third
    missed = n - first
    if tally.binary:
        return NightTally(count=n, first=missed, second=missed, third=missed)
    return NightTally(count=n, first=missed, second=n - 2 * first + second, third=n - 3 * first + 3 * second - third)


def _turned(alert: DriftAlert) -> DriftAlert:
    ci = alert.ci
    return replace(
        alert,
        delta=None if alert.delta is None else -alert.delta,
        ci=None if ci is None else Interval(low=-ci.high, high=-ci.low),
    )
