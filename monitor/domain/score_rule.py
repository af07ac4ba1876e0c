"""How a score of a given name is read as feedback."""

from dataclasses import dataclass
from typing import Literal

Source = Literal["user", "reviewer", "system"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreRule:
    """The scale of a score: `low` and `high` are its ends, `falling` says that `low` is the good one.

    A scale needs both ends; without them numbers are kept and not read. `source` is who says it, None when the
    record tells. `expected_attribute` of an evaluation event holds what the answer should have been.
    """

    low: float | None = None
    high: float | None = None
    falling: bool = False
    good_labels: frozenset[str] = frozenset()
    bad_labels: frozenset[str] = frozenset()
    source: Source | None = None
    expected_attribute: str | None = None
