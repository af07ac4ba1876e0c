"""Shares of runs with their Monte-Carlo error, and what is stored by cell."""

import json
import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from bench.drift_study.tally import Tally


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """`yes` of `n` runs."""

    yes: int
    n: int

    @property
    def rate(self) -> float:
        return self.yes / self.n if self.n else math.nan

    @property
    def error(self) -> float:
        """One Monte-Carlo standard error; by Agresti and Coull's two added each way, so that 0 of n has one too."""
        if self.n == 0:
            return math.nan
        rate = (self.yes + 2.0) / (self.n + 4.0)
        return math.sqrt(rate * (1.0 - rate) / (self.n + 4.0))

    def __str__(self) -> str:
        return f"{100 * self.rate:.1f} ± {100 * self.error:.1f} %" if self.n else "not run"


def share(counter: Counter[int]) -> Share:
    """Of an event counted as 0 and 1."""
    return Share(yes=counter[1], n=counter[0] + counter[1])


def share_above(values: Iterable[float], threshold: float) -> Share:
    kept = list(values)
    return Share(yes=sum(value > threshold for value in kept), n=len(kept))


def median(counter: Counter[int]) -> float:
    """Of whole numbers counted; NaN of none."""
    values = sorted(counter.elements())
    if not values:
        return math.nan
    middle = len(values) // 2
    return float(values[middle]) if len(values) % 2 else (values[middle - 1] + values[middle]) / 2.0


def mean(counter: Counter[int]) -> float:
    n = counter.total()
    return sum(value * count for value, count in counter.items()) / n if n else math.nan


def standard_error(counter: Counter[int]) -> float:
    """Of the mean."""
    n, centre = counter.total(), mean(counter)
    if n < 2:
        return math.nan
    return math.sqrt(sum(count * (value - centre) ** 2 for value, count in counter.items()) / (n - 1) / n)


def tallies_of(path: Path, seed: int) -> dict[str, Tally]:
    """Cell to what is stored of it, whatever code made it: a report shows a file, it does not judge its age."""
    sums: dict[str, Tally] = {}
    if path.exists():
        for text in path.read_text(encoding="utf-8").splitlines():
            made = json.loads(text)
            if made["seed"] == seed:
                sums.setdefault(made["cell"], Tally()).merge(Tally.from_json(made["tally"]))
    return sums
