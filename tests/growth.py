"""Whether work grows with its input and no faster: by the ratio of times, never by a time."""

import time
from collections.abc import Callable
from typing import TypeVar

Input = TypeVar("Input")
DOUBLINGS = 3  # from the first input to the last one
MOST = 2.9  # of the time, for an input of twice the size: 2 is linear, 4 is quadratic
ENOUGH_S = 0.004  # what is faster than that at eight times the size is not measured, for the clock says nothing of it
ROUNDS = 3


def grows_linearly(made: Callable[[int], Input], work: Callable[[Input], object], *, size: int) -> None:
    """Fails when eight times the input takes much more than eight times as long, each at its best of some rounds.

    A quadratic step takes 64 times as long, an exponential one does not end: the test's timeout says so.
    """
    small, large = made(size), made(size << DOUBLINGS)
    work(small)  # what is imported or remembered once is not counted
    for _ in range(ROUNDS):  # the machine may have other work
        took_s = [_best_s(work, small), _best_s(work, large)]
        if took_s[1] < ENOUGH_S or took_s[1] <= took_s[0] * MOST**DOUBLINGS:
            return
    raise AssertionError(
        f"{size << DOUBLINGS} took {took_s[1] * 1e3:.1f} ms, {size} took {took_s[0] * 1e3:.1f} ms: "
        f"{took_s[1] / took_s[0]:.0f} times as long for {1 << DOUBLINGS} times the input"
    )


def _best_s(work: Callable[[Input], object], given: Input) -> float:
    """CPU time of the process would count other threads; the best of some rounds has little of other work in it."""
    found = []
    for _ in range(ROUNDS):
        before = time.thread_time()
        work(given)
        found.append(time.thread_time() - before)
    return min(found)
