"""Selects the cases that a run repeats, so that two samples of one night can be compared."""

import hashlib
import math
from collections.abc import Collection, Mapping


def repeat_count(cases: int, share: float) -> int:
    """Return the number of cases in a share of them, rounded up: any share above 0 repeats at least one.

    >>> repeat_count(400, 0.1), repeat_count(7, 0.1), repeat_count(7, 0.0)
    (40, 1, 0)
    """
    return min(cases, math.ceil(cases * share - 1e-9))


def repeated_cases(categories: Mapping[str, str], count: int, turn: int, seed: str) -> Collection[str]:
    """Return the ids of `count` cases (or all) for this turn. `categories` has the category of each case.

    Formula:   the n cases form a ring, by category, in a random order from `seed` within each; turn t takes
               the positions i with (i + t) count mod n < count, which are evenly spaced.
    Range:     a category of c cases has c count / n of them, rounded down or up, in every turn; over any T turns each
               case has T count / n of them, rounded down or up.
    Source:    systematic sampling from an ordered list: Cochran, Sampling Techniques (1977), chapter 8.
    Differs:   no category is given a case more than its share (a mean over what is repeated needs no weights then), so
               one smaller than n / count waits for its turn; and none of the cases is repeated every night, since two
               repeated answers of one case have less information about the set than those of a new case.

    >>> categories = {"a": "refunds", "b": "refunds", "c": "orders", "d": "orders"}
    >>> [sorted(repeated_cases(categories, 2, turn, "primes")) for turn in (0, 1)]
    [['b', 'c'], ['a', 'd']]
    """
    size = len(categories)
    taken = min(count, size)
    ring = sorted(categories, key=lambda case: (categories[case], _drawn(seed, case), case))
    return frozenset(case for i, case in enumerate(ring) if (i + turn) * taken % size < taken)


def _drawn(seed: str, case: str) -> bytes:
    return hashlib.sha256(f"{seed}\n{case}".encode()).digest()
