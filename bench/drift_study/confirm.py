"""Keeps stored results when code was rearranged: a stored chunk of every cell is repeated and must be the same."""

from collections.abc import Callable, Mapping
from pathlib import Path

from bench.drift_study.ledger import Line, read_lines, write_lines
from bench.drift_study.runner import Named, Task, Work, do_task


class ChangedResultsError(Exception):
    """A repeated chunk differs: the stored results belong to other code and must be measured again."""


def confirm(path: Path, cells: Mapping[str, Named], work: Work, *, code: str, tell: Callable[[str], object]) -> int:
    """Mark all lines of the file as results of this code and return the number of repeated cells. Raise
    ChangedResultsError.

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
