"""The answers of one deployment to one set, night by night: the input of the detector."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from monitor.stats.night_tally import NightTally

Floats = NDArray[np.float64]
T = TypeVar("T")


@dataclass(frozen=True, kw_only=True, eq=False)
class History:
    """T nights and n cases, the union over the revisions of the set.

    - `failures`: by failure category, the samples that failed that way, [T, n] each; empty without labels.
    - `labelled_samples` [T, n]: samples with a known failure category; all scored samples when None.
    - `repeats`: answers beyond those that a verdict needs; they measure noise only.
    - `alpha`: the family-wise probability of a false alarm over `horizon` nights without a change.
    - `alpha_change`: the same over the 30 nights after each announced change; `alpha` when None.
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
    alpha_change: float | None = None
    labelled_samples: Floats | None = None
    repeats: NightTally | None = None

    @property
    def alpha_of_change(self) -> float:
        return self.alpha if self.alpha_change is None else self.alpha_change

    @property
    def nights(self) -> int:
        return self.tally.nights

    def once(self, key: Hashable, compute: Callable[[], T]) -> T:
        """Return the result of the first call with this key. Steps of one decision share it; it ends with the history.

        The key names what is computed, and everything but the history that it depends on.
        """
        if key not in self._known:
            self._known[key] = compute()
        found: T = self._known[key]
        return found

    @cached_property
    def _known(self) -> dict[Hashable, Any]:
        return {}

    def labelled_before(self, night: int) -> bool:
        """Return whether failures had categories before that night. Later nights must not change its threshold."""
        return self._first_labelled < night

    @cached_property
    def _first_labelled(self) -> int:
        """The first night with a labelled sample; the number of nights when there is none."""
        if self.labelled_samples is not None:
            labelled = self.labelled_samples.any(axis=1)
        else:
            counts = [count.any(axis=1) for count in self.failures.values()]
            labelled = np.logical_or.reduce(counts) if counts else np.zeros(self.nights, dtype=np.bool_)
        return int(labelled.argmax()) if labelled.any() else self.nights

    @property
    def labelled_count(self) -> Floats:
        return self.tally.count if self.labelled_samples is None else self.labelled_samples


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """Nights [start, end) with one version and one judge, and which of the two is new."""

    start: int
    end: int
    new_version: bool
    new_judge: bool


def version_segments(versions: Sequence[str], judges: Sequence[str]) -> list[Segment]:
    """Return the history cut where the version or the judge changes.

    >>> [(s.start, s.end, s.new_version) for s in version_segments(["a", "a", "b"], ["j", "j", "j"])]
    [(0, 2, False), (2, 3, True)]
    """
    segments: list[Segment] = []
    start = 0
    for _, nights in groupby(zip(versions, judges, strict=True)):
        end = start + sum(1 for _ in nights)
        segments.append(
            Segment(
                start=start,
                end=end,
                new_version=start > 0 and versions[start] != versions[start - 1],
                new_judge=start > 0 and judges[start] != judges[start - 1],
            )
        )
        start = end
    return segments
