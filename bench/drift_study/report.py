"""The stored results as Markdown: by figure, the target, the measured value and its Monte-Carlo error."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

from bench.drift_study.cell import Cell
from bench.drift_study.cells import all_cells, cells_of
from bench.drift_study.markdown import Row, table
from bench.drift_study.report_could_see import could_see_section
from bench.drift_study.report_dedrift import dedrift_section
from bench.drift_study.report_delay import delay_rows
from bench.drift_study.report_grid import grid_cells, grid_sections
from bench.drift_study.report_rivals import rival_section
from bench.drift_study.shares import median, share, tallies_of
from bench.drift_study.tally import Tally
from bench.drift_study.targets import Target, ramp_nights, targets_of, verdict

USUAL_SPEED = "9/speed"
MAX_SECONDS = 0.1
MAX_WIDTH = 0.67
LINEAR_WITHIN = 1.15


def report(folder: Path, *, seed: int) -> str:
    """Return all tables of the files in `folder`, of one base seed."""
    ours = tallies_of(folder / "driftd.jsonl", seed)
    parts = [_figure(figure, ours) + (grid_sections(ours) if figure == 3 else "") for figure in range(1, 10)]
    parts += [
        could_see_section(folder, seed=seed),
        rival_section(folder, ours, seed=seed),
        dedrift_section(folder, seed=seed),
    ]
    return "".join(parts)


def _figure(figure: int, ours: dict[str, Tally]) -> str:
    special: dict[int, Callable[[dict[str, Tally]], list[Row]]] = {4: delay_rows, 9: _speed_rows}
    rows = special[figure](ours) if figure in special else _event_rows(figure, ours)
    if not rows:
        return ""
    head = ["cell", "runs", "measure", "target", "measured", ""]
    return table(f"Figure {figure}", head, rows)


def _event_rows(figure: int, ours: dict[str, Tally]) -> list[Row]:
    rows: list[Row] = []
    in_grids = grid_cells()
    for name, cell in all_cells().items():
        if figure == cell.figures[0] and name in ours and name not in in_grids:
            rows += [_event_row(name, target, ours[name]) for target in targets_of(name)]
            rows += _other_rows(name, ours[name])
    return rows


def _event_row(name: str, target: Target, tally: Tally) -> Row:
    found = share(tally.counts.get(target.measure, Counter()))
    return [name, str(found.n), target.title, target.bound_text, str(found), verdict(found, target)]


def _other_rows(name: str, tally: Tally) -> list[Row]:
    rows: list[Row] = []
    if "ramp" in name:
        nights, bound = median(tally.counts["night_found"]), ramp_nights(name)
        rows.append([name, str(tally.runs), "median nights", f"≤ {bound:g}", f"{nights:g}", _reached(nights <= bound)])
    if "width_ratio" in tally.sums:
        ratio = _mean(tally, "width_ratio")
        width = "interval's width over that of unpaired samples"
        rows.append([name, str(tally.runs), width, f"≤ {MAX_WIDTH:g}", f"{ratio:.3f}", _reached(ratio <= MAX_WIDTH)])
    if "holds_zero" in tally.counts:
        rows.append(
            [name, str(tally.runs), "interval's mean width in points", "", f"{100 * _mean(tally, 'width'):.1f}", ""]
        )
        holds = share(tally.counts["holds_zero"])
        rows.append([name, str(holds.n), "interval includes 0", "", str(holds), ""])
    return rows


def _speed_rows(ours: dict[str, Tally]) -> list[Row]:
    rows: list[Row] = []
    usual = ours.get(USUAL_SPEED)
    for cell in cells_of(9):
        if cell.name not in ours:
            continue
        tally = ours[cell.name]
        seconds, reference, ratio = (_mean(tally, measure) for measure in ("seconds", "reference_seconds", "ratio"))
        measured = f"{seconds:.3f} s ({ratio:.2f} times the fixed work of {reference:.3f} s)"
        head = [cell.name, str(tally.runs), f"processor seconds of {cell.nights} nights"]
        if cell.name == USUAL_SPEED:
            rows.append([*head, f"≤ {MAX_SECONDS:g} s", measured, _reached(seconds <= MAX_SECONDS)])
            continue
        rows.append([*head, "", measured, ""])
        if usual is not None:
            rows.append(_growth_row(cell, seconds / _mean(usual, "seconds"), tally.runs))
    return rows


def _growth_row(cell: Cell, times: float, runs: int) -> Row:
    """Linear in the nights, with fifteen percent for the variation of the measurement."""
    nights = all_cells()[USUAL_SPEED].nights
    bound = cell.nights / nights * LINEAR_WITHIN
    a_night = f"{times * nights / cell.nights:.2f} times the seconds a night"
    measured = f"{times:.2f} ({a_night})"
    return [
        cell.name,
        str(runs),
        f"seconds over those of {nights} nights",
        f"≤ {bound:.1f}",
        measured,
        _reached(times <= bound),
    ]


def _mean(tally: Tally, measure: str) -> float:
    n, total, _squares = tally.sums[measure]
    return total / n


def _reached(is_reached: bool) -> str:  # noqa: FBT001
    return "reached" if is_reached else "not reached"
