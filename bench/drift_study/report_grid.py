"""Families of cells as one table each: a row a world, a column a size, and one verdict on the row."""

from collections.abc import Iterable
from dataclasses import dataclass

from bench.drift_study.cells import all_cells
from bench.drift_study.cells_versions import (
    CHURN_FALLS,
    COLLAPSE_NIGHTS,
    COLLAPSE_SIZES,
    NOISIER_SETS,
    PULLS,
    SMALLER_FALLS,
    STARTS,
    TOTAL_FALL,
)
from bench.drift_study.markdown import Row, table
from bench.drift_study.shares import share
from bench.drift_study.tally import Tally
from bench.drift_study.targets import targets_of, verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """`path` completes the name of a row to that of a cell."""

    head: str
    path: str
    measure: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """`rows` are what the names of the cells begin with; a {} in them takes the path of the column."""

    title: str
    rows: tuple[str, ...]
    columns: tuple[Column, ...]

    def cells(self) -> Iterable[str]:
        return (name for row in self.rows for column in self.columns if (name := _name(row, column)) in all_cells())


NOISIER = Grid(
    title="Figure 3: false alarms within 30 nights of a version that is only noisier",
    rows=tuple(
        f"3/noisier/rho{rho}/c{categories}/n{n}/k{k}/{mode}/{{}}"
        for rho, categories, n, k in NOISIER_SETS
        for mode in ("announced", "silent")
    ),
    columns=tuple(Column(head=f"pulled {pull} %", path=f"pull{pull}", measure="alarm") for pull in PULLS),
)
CHURN = Grid(
    title="Figure 3: a small fall of an announced version that flips 43 % of the outcomes",
    rows=("3/churn/c10/{}", "3/churn/c1/{}"),
    columns=tuple(
        Column(head="nothing fell: false alarms", path="fall0", measure="alarm")
        if tenths == 0
        else Column(head=f"{tenths / 10:g} points within 30 nights", path=f"fall{tenths / 10:g}", measure="found_30")
        for tenths in CHURN_FALLS
    ),
)
COLLAPSE = Grid(
    title="Figure 3: falls of 50 points found on the first night, by nights since a harmless change",
    rows=tuple(f"3/collapse50/{start}/n{n}/{{}}" for start in STARTS for n in COLLAPSE_SIZES),
    columns=tuple(
        Column(head=f"{after} night{'s' * (after > 1)}", path=f"after{after}", measure="found_1")
        for after in COLLAPSE_NIGHTS
    ),
)
SMALLER = Grid(
    title="Figure 3: falls three nights after a harmless change",
    rows=tuple(f"3/{{}}/{start}/n{n}/after3" for start in STARTS for n in COLLAPSE_SIZES),
    columns=tuple(
        Column(head=f"{fall} points {within}", path=f"collapse{fall}", measure=f"found_{nights}")
        for fall in (*SMALLER_FALLS, TOTAL_FALL)
        for nights, within in ((1, "on the first night"), (3, "within 3 nights"))
    ),
)
GRIDS = (NOISIER, CHURN, COLLAPSE, SMALLER)


def grid_cells() -> frozenset[str]:
    """The cells that a grid shows, so that the long table need not."""
    return frozenset(name for grid in GRIDS for name in grid.cells())


def grid_sections(ours: dict[str, Tally]) -> str:
    """The tables of what is stored."""
    return "".join(_section(grid, ours) for grid in GRIDS)


def _section(grid: Grid, ours: dict[str, Tally]) -> str:
    rows = [_row(grid, row, ours) for row in grid.rows if any(_name(row, column) in ours for column in grid.columns)]
    if not rows:
        return ""
    return table(grid.title, ["cells", "runs", "target", *(column.head for column in grid.columns), ""], rows)


def _row(grid: Grid, row: str, ours: dict[str, Tally]) -> Row:
    runs = [ours[name].runs for column in grid.columns if (name := _name(row, column)) in ours]
    many = str(runs[0]) if len(set(runs)) == 1 else f"{min(runs)}-{max(runs)}"
    bound_text = {target.bound_text for column in grid.columns for target in targets_of(_name(row, column))}
    cells = [_found(_name(row, column), column, ours) for column in grid.columns]
    return [row.format("…"), many, ", ".join(sorted(bound_text)), *cells, _verdicts(grid, row, ours)]


def _found(name: str, column: Column, ours: dict[str, Tally]) -> str:
    if name not in all_cells():
        return ""
    return str(share(ours[name].counts[column.measure])) if name in ours else "not run"


def _verdicts(grid: Grid, row: str, ours: dict[str, Tally]) -> str:
    """One word where all columns agree, else that of the worst and where it is."""
    verdicts: dict[str, list[str]] = {}
    for column in grid.columns:
        name = _name(row, column)
        for target in targets_of(name):
            if name in ours and target.measure == column.measure:
                verdicts.setdefault(verdict(share(ours[name].counts[target.measure]), target), []).append(column.head)
    for worst in ("not reached", "too few runs", "reached"):
        if worst in verdicts:
            return worst if len(verdicts) == 1 else f"{worst}: {', '.join(verdicts[worst])}"
    return ""


def _name(row: str, column: Column) -> str:
    return row.format(column.path)
