"""The order of the cases: a run that ends early has a representative sample of its set."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable
from typing import Protocol, TypeVar

from replay.types import Severity


class Classed(Protocol):
    """A case, or an object with its category and severity."""

    @property
    def id(self) -> str: ...

    @property
    def category(self) -> str: ...

    @property
    def severity(self) -> Severity: ...


C = TypeVar("C", bound=Classed)


def fair_order(cases: Iterable[C], seed: str) -> list[C]:
    """Return the cases in an order whose every prefix contains each category and severity in proportion.

    Formula:   the m cases of a stratum (category and severity) are put in an order drawn from `seed`, at the positions
    (j + u) / m of the unit interval, with u drawn for the stratum; all strata are merged by position. Range:     the
    first share x of the interval has x m cases of a stratum, give or take one; the order within a            stratum is
    random, so that the missing cases are missing at random. Source:    systematic sampling with a random start in each
    stratum: Cochran, Sampling Techniques (1977), chapter 8.

      The same cases and seed give the same order for any input order: a resumed run continues where it was.
    """
    strata: dict[tuple[str, str], list[C]] = defaultdict(list)
    for case in cases:
        strata[case.category, case.severity.value].append(case)
    placed = [
        ((position + start) / len(members), case.id, case)
        for stratum, members in strata.items()
        for start in [_drawn(seed, *stratum)]
        for position, case in enumerate(sorted(members, key=lambda case: (_drawn(seed, case.id), case.id)))
    ]
    return [case for _, _, case in sorted(placed, key=lambda each: each[:2])]


def _drawn(*parts: str) -> float:
    """Return a number in [0, 1) that depends only on the parts."""
    digest = hashlib.sha256("\n".join(parts).encode()).digest()
    return int.from_bytes(digest[:6], "big") / 2.0**48
