"""How many cases flip between two runs of the same version (A/A)."""

from collections.abc import Sequence
from itertools import pairwise

from monitor.domain.run import CaseResult, Run
from monitor.drift.judge.pairing import Flips, count_flips, pair_cases


def same_version_pairs(history: Sequence[Run], most: int = 10) -> list[tuple[Run, Run]]:
    """Return the newest `most` pairs of consecutive runs of one known version, oldest first: the input of
    `aa_discordance`.
    """
    pairs = [(a, b) for a, b in pairwise(history) if a.version is not None and a.version == b.version]
    return pairs[-most:] if most > 0 else []


def aa_discordance(pairs: Sequence[tuple[Sequence[CaseResult], Sequence[CaseResult]]]) -> float | None:
    """Return the share of cases that flip, either way, between runs of the same version; None when no case is in both
    runs.

    Formula: (sum of discordant + 1) / (sum of paired cases + 2) over all pairs of runs. This is the mean under a
    uniform prior, so a set that has not flipped yet is not estimated as one that never will.
    """
    flips = [count_flips(pair_cases(before, after)) for before, after in pairs]
    return discordance_of(sum(table.n for table in flips), sum(table.discordant for table in flips))


def discordance_of(n: int, discordant: int) -> float | None:
    """Return the same from the number of paired cases over all pairs of runs, and how many of them flipped."""
    return _smoothed(discordant, n) if n else None


def own_discordance(flips: Flips) -> float:
    """Return the same of one comparison, for use while no two runs of one version exist. A change inflates it."""
    return _smoothed(flips.discordant, flips.n)


def _smoothed(discordant: int, n: int) -> float:
    return (discordant + 1) / (n + 2)
