"""Progress on standard error: a bar on a terminal, otherwise a few lines."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from monitor.cli.terminal.output import note
from monitor.printable import printable

Advance = Callable[[int, int], None]  # done, total
_PLAIN_STEPS = 4  # lines without a terminal


@contextmanager
def progress(what: str) -> Iterator[Advance]:
    """Yield a function that takes (done, total) while the work progresses."""
    if sys.stderr.isatty():
        with _bar(what) as advance:
            yield advance
    else:
        yield _lines(what)


@contextmanager
def _bar(what: str) -> Iterator[Advance]:
    from rich.console import Console  # slow to import; only a terminal needs it
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(file=sys.stderr), transient=True) as bar:
        task = bar.add_task(printable(what), total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _lines(what: str) -> Advance:
    """Print a line at each quarter, which keeps CI logs short."""
    reported = 0

    def advance(done: int, total: int) -> None:
        nonlocal reported
        quarter = _PLAIN_STEPS * done // total if total else 0
        if quarter > reported:
            reported = quarter
            note(f"{what}: {done} of {total}")

    return advance
