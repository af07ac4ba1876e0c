"""In what order cases are asked, so that a run that is cut off is still a fair sample of its set."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable
from typing import Protocol, TypeVar

from replay.types import Severity


class Classed(Protocol):
    """A case, or what stands for one."""

    @property
    def id(self) -> str: ...

    @property
    def category(self) -> str: ...

    @property
    def severity(self) -> Severity: ...


C = TypeVar("C", bound=Classed)


def fair_order(cases: Iterable[C], seed: str) -> list[C]:
    """The cases in an order of which every beginning holds each category and severity in its share.

    Formula:   the m cases of a stratum (category and severity) stand in an order drawn from `seed`, at the places
               (j + u) / m of the unit interval, u drawn for the stratum; all strata are merged by place.
    Range:     after a share x of the interval a stratum has x m of its cases, give or take one; who comes first
               within a stratum is random, so that what is left out is missing at random.
    Source:    systematic sampling with a random start in each stratum: Cochran, Sampling Techniques (1977), chapter 8.

    The same cases and seed give the same order, whatever the order they came in: a resumed run goes on where it was.
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
    """In [0, 1), the same for the same parts."""
    digest = hashlib.sha256("\n".join(parts).encode()).digest()
    return int.from_bytes(digest[:6], "big") / 2.0**48
