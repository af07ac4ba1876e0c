"""What one deployment answered to one set, night after night: all that the watch reads."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from monitor.stats.night_tally import NightTally

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class History:
    """T nights and n cases (the union over revisions of the set). `failures` holds, by failure category, how many
    samples failed that way, [T, n] each; it is empty where nobody labels failures. `labelled_samples` [T, n] are those
    whose failure category is known, all that have a score when not given. `alpha` is the family-wise chance
    of a false alarm over `horizon` nights without a change, and again over the 30 nights after each change;
    `alpha_change` is that of the second where the two differ.
    """

    id: str
    categories: tuple[str, ...]  # [n]
    versions: tuple[str, ...]  # [T]
    judges: tuple[str, ...]  # [T]
    tally: NightTally
    failures: Mapping[str, Floats]
    baseline_nights: int
    alpha: float
    horizon: int
    seed: int
    alpha_change: float | None = None
    labelled_samples: Floats | None = None

    @property
    def alpha_of_change(self) -> float:
        return self.alpha if self.alpha_change is None else self.alpha_change

    @property
    def nights(self) -> int:
        return self.tally.nights

    @property
    def labelled(self) -> bool:
        return bool(self.failures) if self.labelled_samples is None else bool(self.labelled_samples.any())

    @property
    def labelled_count(self) -> Floats:
        return self.tally.count if self.labelled_samples is None else self.labelled_samples

    def uniforms(self, channel: str) -> Floats:
        """[T] in (0, 1), the same for a night whatever follows it: ties between equal counts are broken with these."""
        digest = hashlib.sha256(f"{self.seed}/{channel}".encode()).digest()
        drawn: Floats = np.random.default_rng(int.from_bytes(digest[:8], "big")).random(self.nights)
        return drawn


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """Nights [start, end) answered by one version and scored by one judge; what differs from the night before it."""

    start: int
    end: int
    new_version: bool
    new_judge: bool


def stretches(versions: Sequence[str], judges: Sequence[str]) -> list[Stretch]:
    """The history cut where the version or the judge changes.

    >>> [(s.start, s.end, s.new_version) for s in stretches(["a", "a", "b"], ["j", "j", "j"])]
    [(0, 2, False), (2, 3, True)]
    """
    cut: list[Stretch] = []
    start = 0
    for _, nights in groupby(zip(versions, judges, strict=True)):
        end = start + sum(1 for _ in nights)
        cut.append(
            Stretch(
                start=start,
                end=end,
                new_version=start > 0 and versions[start] != versions[start - 1],
                new_judge=start > 0 and judges[start] != judges[start - 1],
            )
        )
        start = end
    return cut
