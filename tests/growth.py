"""Check that work grows at most linearly with its input, by the ratio of times and never by an absolute time."""

import time
from collections.abc import Callable
from typing import TypeVar

Input = TypeVar("Input")
DOUBLINGS = 3  # of the size, from the small input to the large one
MAX_RATIO = 2.9  # of the times for an input of twice the size: 2 is linear, 4 is quadratic
MIN_TIME_S = 0.01  # work that takes less time with the large input is not checked: the clock is too coarse
ROUNDS = 4  # work fails only if it is slow in all rounds, because the machine may have other work


def grows_linearly(made: Callable[[int], Input], work: Callable[[Input], object], *, size: int) -> None:
    """Fail when eight times the input takes much more than eight times as long.

    A quadratic step takes 64 times as long. An exponential one does not end, and the test times out. If a limit between
    the two sizes rejects the larger input, the work differs: the second attempt uses larger sizes for both.
    """
    if _problem(made, work, size) is not None:
        assert _problem(made, work, size << DOUBLINGS) is None


def _problem(made: Callable[[int], Input], work: Callable[[Input], object], size: int) -> str | None:
    small, large = made(size), made(size << DOUBLINGS)
    best = [float("inf"), float("inf")]
    for _ in range(ROUNDS):
        best[1] = min(best[1], _spent_s(work, large))
        if best[1] < MIN_TIME_S:
            return None
        _spent_s(work, small)  # imports and caches of the first call do not count
        best[0] = min(best[0], _spent_s(work, small))
        if best[1] <= best[0] * MAX_RATIO**DOUBLINGS:
            return None
    return f"{size << DOUBLINGS} took {best[1] * 1e3:.1f} ms, {size} took {best[0] * 1e3:.1f} ms"


def _spent_s(work: Callable[[Input], object], given: Input) -> float:
    """Return the CPU time of this thread. The time of the process would include other threads."""
    before = time.thread_time()
    work(given)
    return time.thread_time() - before
