"""Runs cells in chunks, in several processes; finished chunks are not repeated."""

import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from time import monotonic, process_time
from typing import Any, Protocol

from bench.drift_study.ledger import Ledger, Line
from bench.drift_study.tally import Tally

AHEAD = 2  # chunks handed out for each process: a kill loses little
SAMPLE = 20  # the first runs of a cell are a chunk of their own, so that --confirm repeats few


class Named(Protocol):
    """What a cell must have to be run in chunks and stored."""

    @property
    def name(self) -> str: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    cell: Named
    seed: int
    start: int
    stop: int


Work = Callable[[Any, Iterable[int], int], Tally]  # (cell, runs, base seed)


def tasks_left(cells: Iterable[Named], ledger: Ledger, *, runs: int, chunk: int, seed: int) -> list[Task]:
    """Return the chunks of [0, runs) of every cell that no stored line covers."""
    left = []
    done = ledger.done(seed)
    for cell in cells:
        for start, stop in gaps(done.get(cell.name, ()), runs):
            left += [Task(cell=cell, seed=seed, start=at, stop=end) for at, end in chunks(start, stop, chunk)]
    return left


def chunks(start: int, stop: int, size: int) -> Iterator[tuple[int, int]]:
    """Yield [start, stop) in pieces; the first runs of all are a smaller piece.

    >>> list(chunks(0, 250, 100))
    [(0, 20), (20, 120), (120, 220), (220, 250)]
    """
    at = start
    while at < stop:
        end = min(at + (min(SAMPLE, size) if at == 0 else size), stop)
        yield at, end
        at = end


def gaps(done: Iterable[tuple[int, int]], runs: int) -> Iterator[tuple[int, int]]:
    """Yield the parts of [0, runs) that are not done.

    >>> list(gaps([(0, 10), (20, 30)], 40))
    [(10, 20), (30, 40)]
    """
    at = 0
    for start, stop in sorted(done):
        if at < min(start, runs):
            yield at, min(start, runs)
        at = max(at, stop)
    if at < runs:
        yield at, runs


def run_tasks(tasks: list[Task], ledger: Ledger, work: Work, *, jobs: int) -> None:
    """Run the tasks and store each result when it is done; with one job in this process."""
    began = monotonic()
    for number, line in enumerate(_lines(tasks, work, ledger.code, jobs), start=1):
        ledger.append(line)
        _tell(number, len(tasks), line, monotonic() - began)


def _lines(tasks: list[Task], work: Work, code: str, jobs: int) -> Iterator[Line]:
    if jobs == 1:
        yield from (do_task(task, work, code) for task in tasks)
        return
    with ProcessPoolExecutor(max_workers=jobs) as pool:
        waiting: set[Future[Line]] = set()
        for task in tasks:
            waiting.add(pool.submit(do_task, task, work, code))
            if len(waiting) >= jobs * AHEAD:
                ready, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                yield from (future.result() for future in ready)
        yield from (future.result() for future in waiting)


def do_task(task: Task, work: Work, code: str) -> Line:
    """Run one chunk and return it as the line to store."""
    began = process_time()
    tally = work(task.cell, range(task.start, task.stop), task.seed)
    return Line(
        cell=task.cell.name,
        seed=task.seed,
        start=task.start,
        stop=task.stop,
        code=code,
        seconds=process_time() - began,
        tally=tally,
    )


def _tell(number: int, of: int, line: Line, elapsed_s: float) -> None:
    left_s = elapsed_s / number * (of - number)
    runs = f"runs {line.start}-{line.stop - 1}"
    sys.stderr.write(f"{number}/{of}  {line.cell:<32} {runs:<18} {line.seconds:7.1f} s  about {left_s:.0f} s left\n")
    sys.stderr.flush()
