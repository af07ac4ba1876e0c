"""Keeps results when code was rearranged: a stored chunk of every cell is made again and must come out the same."""

from collections.abc import Callable, Mapping
from pathlib import Path

from bench.drift_study.ledger import Line, read_lines, write_lines
from bench.drift_study.runner import Named, Task, Work, do_task


class ChangedResultsError(Exception):
    """A chunk came out differently: the stored results belong to other code and must be made anew."""


def confirm(path: Path, cells: Mapping[str, Named], work: Work, *, code: str, tell: Callable[[str], object]) -> int:
    """Marks all lines of the file as this code's; returns how many cells were repeated. Raises ChangedResultsError.

    Seconds are not compared. The shortest chunk of a cell is repeated; usually that is its first one.
    """
    lines = read_lines(path)
    shortest: dict[str, Line] = {}
    for line in lines:
        held = shortest.get(line.cell)
        if line.code != code and (held is None or line.stop - line.start < held.stop - held.start):
            shortest[line.cell] = line
    for line in shortest.values():
        task = Task(cell=cells[line.cell], seed=line.seed, start=line.start, stop=line.stop)
        again = do_task(task, work, code)
        if not again.tally.same_counts(line.tally):
            raise ChangedResultsError(
                f"{path}: runs {line.start}-{line.stop - 1} of {line.cell} come out differently with this code: "
                "run the cell again with --fresh"
            )
        tell(f"{line.cell}: runs {line.start}-{line.stop - 1} are the same\n")
    write_lines(path, [line.made_by(code) for line in lines])
    return len(shortest)
