"""Confirm stored results after code was rearranged: measure the stored sample of each result again and compare."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from bench.drift_study.confirm import ChangedResultsError

TOLERANCE = 1e-9  # relative, for sums of probabilities: rearranged code may change the last digits of a sum


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One stored result. `measure` takes the number of runs and returns the result with its code and its sample;
    `repeat` is the option of bench/causes.py that measures all of it.
    """

    measure: Callable[[int], Mapping[str, Any]]
    repeat: str


def confirm(
    stored: Mapping[str, Any], results: Mapping[str, Result], *, report: Callable[[str], object]
) -> dict[str, Any]:
    """Return the stored results with the hash of the current code. Raise ChangedResultsError when a sample differs.

    When one result differs, nothing is returned, so a file never has results of two versions of the code.
    """
    kept: dict[str, Any] = dict(stored)
    for name, result in results.items():
        sample = stored.get(name, {}).get("sample")
        command = f"python bench/causes.py {result.repeat}".rstrip()
        if not sample:
            raise ChangedResultsError(f"{name}: no sample is stored with it; measure it again: {command}")
        today = result.measure(sample["runs"])
        if not same(sample, today["sample"]):
            raise ChangedResultsError(f"{name}: the first {sample['runs']} runs differ; measure it again: {command}")
        report(f"{name}: the first {sample['runs']} runs are the same\n")
        kept[name] = {**stored[name], "code": today["code"]}
    return kept


def same(one: Any, other: Any) -> bool:
    """Return whether two JSON values are equal; fractions may differ in their last digits.

    >>> same({"count": 3, "sum": 0.3}, {"count": 3, "sum": 0.1 + 0.2}), same([1, 2], [1, 3])
    (True, False)
    """
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(same(a, b) for a, b in zip(one, other, strict=True))
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=TOLERANCE)
    return bool(one == other)
