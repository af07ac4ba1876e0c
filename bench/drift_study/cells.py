"""Every cell of the nine figures of the study, by name."""

from dataclasses import replace
from functools import cache

from bench.drift_study.cell import Cell
from bench.drift_study.cells_alarm import alarm_cells
from bench.drift_study.cells_versions import REPEATS, version_cells

SIZES = ((100, 1), (100, 3), (300, 1), (300, 3), (805, 1), (805, 3))
ONE_POINT = 0.01
WORLDS = {"shift": False, "redraw": True}
GAPS: dict[str, dict[str, object]] = {
    "missing": {"missing": 0.05},
    "outage": {"outage": "random"},
    "outage_easiest": {"outage": "easiest"},
    "revision": {"revision_after": 30},
    "varied_k": {"varied_k": True, "k": 3},
}
REJUDGED = (300, 1200, 4200)
BETWEEN = (40, 80, 95, 100)  # percent of the variance that is between cases; the other cells have 60
EXTREME = 95  # percent from which on log-odds are of no use
SPEED_NIGHTS = (194, 388, 776)


@cache
def all_cells() -> dict[str, Cell]:
    """Name to cell, in the order of the figures."""
    made = [
        *_false_alarms(),
        *_between_cases(),
        *_silent(),
        *_known(),
        *version_cells(),
        *_delays(),
        *_mix(),
        *_judges(),
        *_intervals(),
        *alarm_cells(),
        *_gaps(),
        *_speed(),
    ]
    return {cell.name: cell for cell in made}


def cells_of(figure: int) -> list[Cell]:
    """The cells a figure reads, its own and those it shares with another figure."""
    return [cell for cell in all_cells().values() if figure in cell.figures]


def _false_alarms() -> list[Cell]:
    cells = []
    for n, k in SIZES:
        shared = (n, k) == (300, 1)  # with figure 4, which compares at equal false alarms
        still = Cell(name=f"1/null/n{n}/k{k}/still", figures=(1,), count="false_alarms", n=n, k=k)
        cells.append(replace(still, figures=(1, 4), limit=True) if shared else still)
        moody = replace(still, name=f"1/null/n{n}/k{k}/night", night_sd=ONE_POINT)
        cells.append(moody)
        if shared or (n, k) == SIZES[-1]:  # the largest set is where the mood weighs most beside sampling
            cells.append(replace(moody, name=f"{moody.name}_clipped", night_scale="clipped"))
    return cells


def _between_cases() -> list[Cell]:
    """The smallest and the largest usual set by the share of variance that is between cases.

    With all of it there (rho100) every case is certain: nothing varies on a still night. From 95 % on the night effect
    is the one that is added to the probability and clipped: one point on the scale of log-odds, which certain cases do
    not have, would take nearly certain cases to 0 % on some nights.
    """
    cells = []
    for rho in BETWEEN:
        for n, k in ((300, 1), (805, 3)):
            still = Cell(
                name=f"1/null/n{n}/k{k}/rho{rho}/still",
                figures=(1,),
                count="false_alarms",
                n=n,
                k=k,
                intraclass=rho / 100,
            )
            cells.append(still)
            if rho < EXTREME:
                cells.append(replace(still, name=f"1/null/n{n}/k{k}/rho{rho}/night", night_sd=ONE_POINT))
            if rho >= EXTREME or n == 805:
                name = f"1/null/n{n}/k{k}/rho{rho}/night_clipped"
                cells.append(replace(still, name=name, night_sd=ONE_POINT, night_scale="clipped"))
    return cells


def _silent() -> list[Cell]:
    cells = []
    for world, redraw in WORLDS.items():
        drop = Cell(name="", figures=(2,), count="silent", change="drop", redraw=redraw)
        for points in (2, 5, 10):
            shared = points < 10
            cells.append(
                replace(
                    drop,
                    name=f"2/drop{points}/{world}",
                    size=points / 100,
                    figures=(2, 4) if shared else (2,),
                    limit=shared,
                )
            )
        cells.append(replace(drop, name=f"2/category30/{world}", change="category", size=0.30))
    cells.append(Cell(name="2/ramp0.2/shift", figures=(2,), count="silent", change="ramp", size=0.002))
    return cells


def _known() -> list[Cell]:
    null = Cell(name="", figures=(3,), count="known", announced=True, repeat_share=REPEATS)
    cells = [
        replace(null, name="3/null/n300/k1/still"),
        replace(null, name="3/null/n300/k1/night", night_sd=ONE_POINT),
        replace(null, name="3/null/n805/k3/still", n=805, k=3),
    ]
    for world, redraw in WORLDS.items():
        drop = replace(null, change="drop", redraw=redraw)
        cells.append(replace(drop, name=f"3/drop5/n300/k1/{world}", size=0.05))
        cells.append(replace(drop, name=f"3/drop2/n300/k1/{world}", size=0.02))
        cells.append(replace(drop, name=f"3/drop2/n805/k3/{world}", size=0.02, n=805, k=3))
    return cells


def _delays() -> list[Cell]:
    return [
        Cell(
            name=f"4/drop{points}/{world}",
            figures=(4,),
            count="silent",
            change="drop",
            size=points / 100,
            redraw=redraw,
            limit=True,
        )
        for points in (3, 4)
        for world, redraw in WORLDS.items()
    ]


def _mix() -> list[Cell]:
    null = Cell(name="5/null", figures=(5,), count="mix", labels=True)
    return [
        null,
        replace(null, name="5/night", night_sd=ONE_POINT),
        replace(null, name="5/moved30", change="moved", size=0.30),
        replace(null, name="5/new15", change="new_class", size=0.15),
        replace(null, name="5/surge3", change="surge", size=0.03),
        replace(null, name="5/surge3_moved", change="surge_moved", size=0.03),
    ]


def _judges() -> list[Cell]:
    cells = []
    for rejudged in REJUDGED:
        null = Cell(name=f"6/none/m{rejudged}", figures=(6,), count="judge", rejudged=rejudged, monitored=7, after=0)
        cells += [
            null,
            replace(null, name=f"6/judge/m{rejudged}", judge_size=0.03),
            replace(null, name=f"6/model/m{rejudged}", change="drop", size=0.05),
            replace(null, name=f"6/both/m{rejudged}", change="drop", size=0.05, judge_size=0.03),
        ]
    return cells


def _intervals() -> list[Cell]:
    cells = []
    for nights in (7, 1):
        for world, redraw in WORLDS.items():
            drop = Cell(name="", figures=(7,), count="interval", change="drop", size=0.03, after=0, redraw=redraw)
            still = replace(drop, name=f"7/nights{nights}/{world}/still", monitored=nights)
            cells += [still, replace(still, name=f"7/nights{nights}/{world}/night", night_sd=ONE_POINT)]
    return cells


def _gaps() -> list[Cell]:
    cells = []
    for gap, fields in GAPS.items():
        null = replace(Cell(name=f"8/{gap}/null", figures=(8,), count="false_alarms"), **fields)  # type: ignore[arg-type]
        cells += [null, replace(null, name=f"8/{gap}/night", night_sd=ONE_POINT)]
        silent = replace(null, count="silent", change="drop")
        cells += [replace(silent, name=f"8/{gap}/silent_drop{d}", size=d / 100) for d in (2, 5, 10)]
        cells.append(replace(silent, name=f"8/{gap}/silent_category30", change="category", size=0.30))
        cells.append(replace(silent, name=f"8/{gap}/silent_ramp0.2", change="ramp", size=0.002))
        known = replace(silent, count="known", announced=True)
        cells += [replace(known, name=f"8/{gap}/known_drop{d}", size=d / 100) for d in (2, 5)]
        cells.append(replace(known, name=f"8/{gap}/known_null", change="none"))
    return [*cells, *_restarts()]


def _restarts() -> list[Cell]:
    first = Cell(name="", figures=(8,), count="again", change="drop", size=0.05)
    twice = replace(first, count="silent", second_after=120)
    return [
        replace(first, name="8/restart/null", size=0.10),
        replace(first, name="8/restart/redrawn", size=0.10, redraw=True),
        replace(twice, name="8/restart/silent_drop5"),
        replace(twice, name="8/restart/silent_drop10", size=0.10),
    ]


def _speed() -> list[Cell]:
    """The first is the one with a bar in seconds; the longer ones show how the cost grows with the nights."""
    usual = Cell(name="9/speed", figures=(9,), count="speed")
    longer = [n for n in SPEED_NIGHTS if n != usual.nights]
    return [usual, *(replace(usual, name=f"9/speed/{n}", monitored=n - usual.baseline) for n in longer)]
