"""The smallest detectable effect of a verdict, and how often a fall of exactly that size is found.

For the night before the change, the smallest detectable effects of the history so far are computed, as a verdict prints
them. Then the same history continues with a fall of exactly that size: unannounced or announced, for one night or for
seven.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from bench.drift_study.alerts import alerts_of
from bench.drift_study.cell import Cell
from bench.drift_study.document import document
from bench.drift_study.ours import our_sources
from bench.drift_study.paths import COLLAPSIBLE
from bench.drift_study.sources import deciding_sources
from bench.drift_study.tally import Tally
from bench.drift_study.world import draw_history, true_means

Promise = tuple[Literal["silent", "announced"], int]  # and within how many nights

PROMISES: tuple[Promise, ...] = (("silent", 1), ("silent", 7), ("announced", 1), ("announced", 7))
SATURATED = (0.95, 0.99)
ONE_POINT = 0.01
MEASURED = ("monitor.drift.detect.detectable", "monitor.drift.backtest")


def could_see_cells() -> dict[str, Cell]:
    """Return name to cell: usual and nearly perfect sets of three sizes, nights with a mood, and few nights before."""
    usual = Cell(name="", figures=(), count="silent", monitored=37, after=30, horizon=180)
    made = []
    for n in (100, 300, 805):
        made.append(replace(usual, name=f"could_see/n{n}/usual", n=n))
        made.append(replace(usual, name=f"could_see/n{n}/saturated", n=n, means=SATURATED))
    made.append(replace(usual, name="could_see/n300/night", night_sd=ONE_POINT))
    made.append(replace(usual, name="could_see/n300/after6", after=6, monitored=13))
    made.append(replace(usual, name="could_see/n300/after60", after=60, monitored=67))
    return {cell.name: cell for cell in made}


def could_see_sources() -> list[Path]:
    """Return the files that the results depend on."""
    return sorted({*our_sources(), *deciding_sources(MEASURED), Path(__file__)})


def tally_could_see(cell: Cell, runs: Iterable[int], seed: int) -> Tally:
    """Count, for each promise, how large it was and whether the fall was found in time.

    A run without a promise, or with an earlier alarm, is not counted.
    """
    tally = Tally()
    for run in runs:
        tally.runs += 1
        promised, most = _promised(cell, run, seed), float(true_means(draw_history(cell, run, seed))[0]) - COLLAPSIBLE
        for promise in PROMISES:
            name, size = f"{promise[0]}_{promise[1]}", promised.get(promise)
            tally.count(f"{name}_promised", size is not None and size < most)
            if size is None or size >= most:
                continue
            fallen = replace(cell, change="drop", size=size, announced=promise[0] == "announced")
            found = _found(fallen, run, seed, promise)
            if found is not None:
                tally.add(f"{name}_size", size)
                tally.count(f"{name}_found", found)
    return tally


def _promised(cell: Cell, run: int, seed: int) -> dict[Promise, float]:
    """Return the effects that the verdict of the night before the change prints."""
    from monitor.drift.backtest_json import read_history
    from monitor.drift.detect.detectable import set_effects
    from monitor.drift.detect.window import Window

    history = draw_history(cell, run, seed)
    line = document(history, name=cell.name)
    nights: Any = line["nights"]
    known = read_history(line | {"nights": nights[: cell.version_night]})
    before = Window(start=0, end=known.nights - 1)
    found = set_effects(known, before, before, candidate_onsets=before.end - cell.baseline)
    sizes: dict[Any, float] = {(each.scenario, each.nights): each.effect for each in found}
    return sizes


def _found(fallen: Cell, run: int, seed: int, promise: Promise) -> bool | None:
    """Return whether the fall is found in time; None after an earlier alarm."""
    situation, nights = promise
    alerts = alerts_of(_backtest(document(draw_history(fallen, run, seed), name=fallen.name)))
    if any(alert.counts and alert.night < fallen.version_night for alert in alerts):
        return None
    trigger = "version" if situation == "announced" else "silent"
    told = [alert for alert in alerts if alert.may_be_a_drop and alert.trigger == trigger]
    return any(alert.night < fallen.version_night + nights for alert in told)


def _backtest(line: Mapping[str, object]) -> Mapping[str, Any]:
    from monitor.drift.backtest import backtest_document

    return backtest_document(line)
