"""Splits the prime questions into private cases and production traffic, without overlap."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from replay.recorded.data import RecordedQuestion

FROZEN_CASES = 800


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    frozen: tuple[RecordedQuestion, ...]
    production: tuple[RecordedQuestion, ...]


def split(cases: Sequence[RecordedQuestion]) -> Split:
    """Return the split: the first 800 by ascending SHA-256 of the id are private, the others are traffic."""
    ordered = sorted(cases, key=lambda case: hashlib.sha256(case.id.encode()).hexdigest())
    return Split(frozen=tuple(ordered[:FROZEN_CASES]), production=tuple(ordered[FROZEN_CASES:]))
