"""Whether work grows with its input and no faster: by the ratio of times, never by a time."""

import time
from collections.abc import Callable
from typing import TypeVar

Input = TypeVar("Input")
DOUBLINGS = 3  # from the small input to the large one
MOST = 2.9  # of the time, for an input of twice the size: 2 is linear, 4 is quadratic
ENOUGH_S = 0.01  # what is faster than that with the large input is not measured: the clock says little of it
ROUNDS = 4  # the machine may have other work: only what is slow in all of them is slow


def grows_linearly(made: Callable[[int], Input], work: Callable[[Input], object], *, size: int) -> None:
    """Fails when eight times the input takes much more than eight times as long.

    A quadratic step takes 64 times as long, an exponential one does not end: the test's timeout says so. A limit
    between the two sizes may turn a record into a rejected one, which is other work: then both are taken larger.
    """
    if _trouble(made, work, size) is not None:
        assert _trouble(made, work, size << DOUBLINGS) is None


def _trouble(made: Callable[[int], Input], work: Callable[[Input], object], size: int) -> str | None:
    small, large = made(size), made(size << DOUBLINGS)
    best = [float("inf"), float("inf")]
    for _ in range(ROUNDS):
        best[1] = min(best[1], _spent_s(work, large))
        if best[1] < ENOUGH_S:
            return None
        _spent_s(work, small)  # what is imported or remembered once is not counted
        best[0] = min(best[0], _spent_s(work, small))
        if best[1] <= best[0] * MOST**DOUBLINGS:
            return None
    return f"{size << DOUBLINGS} took {best[1] * 1e3:.1f} ms, {size} took {best[0] * 1e3:.1f} ms"


def _spent_s(work: Callable[[Input], object], given: Input) -> float:
    """CPU time of this thread: that of the process would count others."""
    before = time.thread_time()
    work(given)
    return time.thread_time() - before
