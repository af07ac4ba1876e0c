"""Which prime questions are private and which are production traffic; the two never meet."""

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
    """The first 800 by ascending hexadecimal SHA-256 of the id are the private set, the rest is traffic."""
    ordered = sorted(cases, key=lambda case: hashlib.sha256(case.id.encode()).hexdigest())
    return Split(frozen=tuple(ordered[:FROZEN_CASES]), production=tuple(ordered[FROZEN_CASES:]))
