"""The samples of each case on each night as power sums, which is all that the evidence over nights needs."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_Take = Callable[[Floats], Floats]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NightTally:
    """Power sums of the scores of T nights and n cases, each array [T, n] float64.

    `count` is the number of samples with a score. It is 0 for a case that had no sample, was not in the revision, or
    was not scored; its sums are 0 as well. `first`, `second` and `third` are the sums of x, x^2 and x^3 of those
    samples; for pass or fail the three are equal. Scores are between 0 and 1.
    """

    count: Floats
    first: Floats
    second: Floats
    third: Floats

    @property
    def nights(self) -> int:
        return int(self.count.shape[0])

    @property
    def binary(self) -> bool:
        """Whether every score is 0 or 1. Then sums are counts with an exact distribution, and the three sums are one
        array.
        """
        return self.first is self.second

    @classmethod
    def of_passes(cls, passes: Floats, samples: Floats) -> Self:
        """Return the tally of counts of passes [T, n], NaN where there is no score, and of samples [T, n].

        >>> NightTally.of_passes(np.array([[1.0, np.nan]]), np.array([[1.0, 1.0]])).count
        array([[1., 0.]])
        """
        scored = ~np.isnan(passes)
        first = np.where(scored, passes, 0.0)
        count = np.where(scored, samples, 0.0)
        if np.any((first < 0) | (first > count)):
            raise ValueError("passes must be between 0 and the number of samples")
        return cls(count=count, first=first, second=first, third=first)

    @classmethod
    def of_values(cls, values: Floats) -> Self:
        """Return the tally of scores [T, n, k] between 0 and 1, NaN where a sample is missing or unscored.

        >>> NightTally.of_values(np.array([[[0.5, 1.0]]])).second
        array([[1.25]])
        """
        if values.ndim != 3:
            raise ValueError(f"scores must have the shape [nights, cases, samples], got {values.ndim} dimensions")
        if np.any((values < 0.0) | (values > 1.0)):
            raise ValueError("a score must be between 0 and 1")
        scored = ~np.isnan(values)
        x = np.where(scored, values, 0.0)
        count, first = scored.sum(axis=2, dtype=np.float64), x.sum(axis=2)
        if np.array_equal(x, x * x):
            return cls(count=count, first=first, second=first, third=first)
        return cls(count=count, first=first, second=(x**2).sum(axis=2), third=(x**3).sum(axis=2))

    def __add__(self, other: "NightTally") -> "NightTally":
        """Return the samples of both, night by night."""
        first = self.first + other.first
        if self.binary and other.binary:
            return NightTally(count=self.count + other.count, first=first, second=first, third=first)
        return NightTally(
            count=self.count + other.count,
            first=first,
            second=self.second + other.second,
            third=self.third + other.third,
        )

    def then(self, later: "NightTally") -> "NightTally":
        """Return these nights followed by the nights of `later`, with the same cases."""
        first = np.concatenate([self.first, later.first])
        count = np.concatenate([self.count, later.count])
        if self.binary and later.binary:
            return NightTally(count=count, first=first, second=first, third=first)
        return NightTally(
            count=count,
            first=first,
            second=np.concatenate([self.second, later.second]),
            third=np.concatenate([self.third, later.third]),
        )

    def between(self, start: int, end: int) -> "NightTally":
        """Return the nights [start, end)."""
        return self._each(lambda sums: sums[start:end])

    def of_cases(self, cases: NDArray[np.intp]) -> "NightTally":
        """Return the columns of these cases, by index."""
        return self._each(lambda sums: sums[:, cases])

    def pooled(self) -> "NightTally":
        """Return all nights as one: arrays [1, n]."""
        return self._each(lambda sums: sums.sum(axis=0, keepdims=True))

    def _each(self, take: _Take) -> "NightTally":
        first = take(self.first)
        if self.second is self.first:
            return NightTally(count=take(self.count), first=first, second=first, third=first)
        return NightTally(count=take(self.count), first=first, second=take(self.second), third=take(self.third))
