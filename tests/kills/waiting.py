"""Waits for what processes do."""

from collections.abc import Callable
from time import monotonic, sleep

PATIENCE_S = 90.0


def until(done: Callable[[], bool], what: str, *, patience_s: float = PATIENCE_S) -> float:
    """Wait, and return the seconds."""
    began = monotonic()
    while not done():
        assert monotonic() < began + patience_s, f"not within {patience_s:.0f} s: {what}"
        sleep(0.1)
    return monotonic() - began
