"""How many cases flip between two runs although nothing changed."""

from collections.abc import Sequence
from itertools import pairwise

from monitor.domain.run import CaseResult, Run
from monitor.drift.judge.pairing import Flips, count_flips, pair_cases


def same_version_pairs(history: Sequence[Run], most: int = 10) -> list[tuple[Run, Run]]:
    """The newest `most` pairs of consecutive runs of one known version, oldest first: food for `aa_discordance`."""
    pairs = [(a, b) for a, b in pairwise(history) if a.version is not None and a.version == b.version]
    return pairs[-most:] if most > 0 else []


def aa_discordance(pairs: Sequence[tuple[Sequence[CaseResult], Sequence[CaseResult]]]) -> float | None:
    """Share of cases that flip, either way, between runs of the same version; None when no case was seen twice.

    Formula: (sum of discordant + 1) / (sum of paired cases + 2) over all pairs of runs, the mean under a uniform prior:
    a set that never flipped yet is not one that never will.
    """
    flips = [count_flips(pair_cases(before, after)) for before, after in pairs]
    if not any(table.n for table in flips):
        return None
    return _smoothed(sum(table.discordant for table in flips), sum(table.n for table in flips))


def own_discordance(flips: Flips) -> float:
    """The same of one comparison: what stands in while no two runs of one version exist. A change inflates it."""
    return _smoothed(flips.discordant, flips.n)


def _smoothed(discordant: int, n: int) -> float:
    return (discordant + 1) / (n + 2)
