"""Our detector on the runs of a cell."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from bench.drift_study.alerts import Alert, Detector, alerts_of
from bench.drift_study.cell import Cell
from bench.drift_study.document import document
from bench.drift_study.figures.alarm_interval import count_alarm_interval
from bench.drift_study.figures.comparison import Attribute, Compare, count_blame, count_interval
from bench.drift_study.figures.detection import (
    count_again,
    count_event,
    count_false_alarms,
    count_known,
    count_mix,
    count_silent,
)
from bench.drift_study.figures.speed import count_speed
from bench.drift_study.limit import count_delay, count_null
from bench.drift_study.repeats import with_repeats
from bench.drift_study.sources import deciding_sources
from bench.drift_study.tally import Tally
from bench.drift_study.world import History, draw_history, world_sources

COUNTS = {
    "false_alarms": count_false_alarms,
    "again": count_again,
    "silent": count_silent,
    "known": count_known,
    "event": count_event,
    "mix": count_mix,
    "alarm_interval": count_alarm_interval,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Methods:
    """What is measured: the backtest, the two-version comparison and the attribution."""

    detector: Detector
    compare: Compare
    attribute: Attribute


def our_methods() -> Methods:
    """The package's own."""
    from monitor.drift.backtest import backtest_document
    from monitor.stats.attribution import attribute
    from monitor.stats.two_versions.comparison import compare

    return Methods(detector=backtest_document, compare=compare, attribute=attribute)


def our_sources() -> list[Path]:
    """The files whose code the results depend on: the world, the counts, and what the methods import of the package."""
    here = Path(__file__).parent
    counting = [
        *(here / "figures").glob("*.py"),
        *(here / f"{name}.py" for name in ("alerts", "judging", "limit", "repeats")),
    ]
    return sorted([*world_sources(), *counting, *deciding_sources()])


def tally_runs(cell: Cell, runs: Iterable[int], base_seed: int, methods: Methods) -> Tally:
    """What those runs of the cell add up to."""
    tally = Tally()
    for run in runs:
        history = draw_history(cell, run, base_seed)
        tally.runs += 1
        _count_one(history, methods, tally, name=f"{cell.name}/{run}")
    return tally


def _count_one(history: History, methods: Methods, tally: Tally, *, name: str) -> None:
    count = history.cell.count
    if count == "judge":
        count_blame(history, methods.attribute, tally)
    elif count == "interval":
        count_interval(history, methods.compare, tally)
    elif count == "speed":
        count_speed(history, methods.detector, tally)
    else:
        alerts = alerts_of(methods.detector(with_repeats(document(history, name=name), history)))
        _check(history, alerts)
        COUNTS[count](history, alerts, tally)
        if history.cell.limit:
            (count_null if count == "false_alarms" else count_delay)(history, tally)


def _check(history: History, alerts: list[Alert]) -> None:
    early = [alert.night for alert in alerts if alert.night < history.cell.baseline]
    if early:
        raise ValueError(f"{history.cell.name}: an alert inside the baseline nights, on night {early[0]}")
