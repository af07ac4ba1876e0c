"""A range of nights of a history."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """Nights [start, end)."""

    start: int
    end: int
