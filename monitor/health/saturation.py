"""Whether the cases of a set still separate versions, and which cases may have a wrong label."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from monitor.stats.items import MIN_VERSIONS, ItemStatistics, item_statistics

Floats = NDArray[np.float64]
FEWEST_TO_SATURATE = 2
FEWEST_FAILED = 4  # a case is a suspect if at least this many versions all failed it ...
GOOD = 0.8  # ... and the best of them passes this share of the set: a weak version fails hard cases
LEVEL = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One case over all versions. None if there are too few versions or the scores do not vary."""

    case_id: str
    versions: int
    pass_rate: float | None
    discrimination: float | None
    discrimination_low: float | None
    discrimination_high: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Saturation:
    """How many cases separate versions.

    `judged` cases have scores of two versions or more. `share` of them had the same score under every version:
    `always_pass` cases the score 1, `always_fail` cases the score 0. `share` is None without a judged case.
    `separating` cases have a discrimination whose whole interval is above 0; None with fewer than 8 versions.
    """

    versions: int
    judged: int
    share: float | None
    always_pass: int
    always_fail: int
    separating: int | None
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelNoise:
    """Cases whose label or rule may be wrong. A person decides about each.

    `failed_by_better_versions`: better versions fail the case; the whole interval of its discrimination is below 0.
    `expected` is the number of such cases by chance. `never_passed`: four versions or more failed it, and the best of
    them passes 0.8 of the set. `unstable`: runs of one version disagree about it. None means too few versions or runs.
    """

    failed_by_better_versions: tuple[str, ...] | None
    expected: float | None
    never_passed: tuple[str, ...] | None
    unstable: tuple[str, ...] | None


def saturation_of(case_ids: Sequence[str], scores: Floats) -> Saturation:
    """Return the saturation. monitor/stats/items.py has the formulas.

    `scores` [versions, cases] are in [0, 1], NaN without a score.
    """
    items = item_statistics(scores, LEVEL)
    judged = items.versions >= FEWEST_TO_SATURATE
    same = judged & items.never_separates
    separating = np.nan_to_num(items.discrimination_low, nan=-1.0) > 0.0
    return Saturation(
        versions=int((~np.isnan(scores)).any(axis=1).sum()),
        judged=int(judged.sum()),
        share=items.share_never_separating,
        always_pass=int((same & (items.pass_rate >= 1.0)).sum()),
        always_fail=int((same & (items.pass_rate <= 0.0)).sum()),
        separating=int(separating.sum()) if (items.versions >= MIN_VERSIONS).any() else None,
        items=tuple(_item(items, n, case_id) for n, case_id in enumerate(case_ids)),
    )


def label_noise_of(case_ids: Sequence[str], scores: Floats, unstable: Sequence[bool] | None) -> LabelNoise:
    """Return the suspects. `unstable` [cases] is the result of `unsteady_cases`; None if there are too few runs."""
    items = item_statistics(scores, LEVEL)
    known = ~np.isnan(items.discrimination)
    enough = bool((items.versions >= MIN_VERSIONS).any())
    failed = (items.versions >= FEWEST_FAILED) & items.never_separates & (items.pass_rate <= 0.0)
    failed_by_better_versions = known & (np.nan_to_num(items.discrimination_high, nan=1.0) < 0.0)
    order = np.argsort(np.nan_to_num(items.discrimination, nan=2.0), kind="stable")
    return LabelNoise(
        failed_by_better_versions=tuple(case_ids[n] for n in order if failed_by_better_versions[n]) if enough else None,
        expected=float(known.sum()) * (1.0 - LEVEL) / 2.0 if enough else None,
        never_passed=_named(case_ids, failed) if _good_enough(scores, items) else None,
        unstable=_named(case_ids, np.asarray(unstable)) if unstable is not None else None,
    )


def _good_enough(scores: Floats, items: ItemStatistics) -> bool:
    """Return whether one version is good enough that a case which all versions fail is a suspect."""
    if not (items.versions >= FEWEST_FAILED).any():
        return False
    known = ~np.isnan(scores)
    rates = np.where(known, scores, 0.0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    return bool(rates.max(initial=0.0) >= GOOD)


def unsteady_cases(
    passes: NDArray[np.int64], runs: NDArray[np.int64], at_least: float = 0.3, fewest: int = 4
) -> list[bool] | None:
    """Return which cases have different scores in runs of one version.

    Formula:   sum over versions of 2 p (r - p) / (r - 1), divided by r, over the runs: the probability that two runs of
               one version disagree, with p passes of r runs, weighted by runs. A case is unstable from `at_least` on.
    Range:     [0, about 0.5]: 0.5 is the toss of a coin.
    Shapes:    passes, runs [versions, cases] counts.
    Empty:     a version with fewer than two runs of a case does not count; None if no case has `fewest` runs.
    """
    usable = np.where(runs >= 2, runs, 0)
    total = usable.sum(axis=0)
    if not (total >= fewest).any():
        return None
    pairs = np.where(usable > 0, 2.0 * passes * (runs - passes) / np.maximum(runs * (runs - 1), 1), 0.0)
    disagree = (pairs * usable).sum(axis=0) / np.maximum(total, 1)
    return [bool(value) for value in (total >= fewest) & (disagree >= at_least)]


def _item(items: ItemStatistics, n: int, case_id: str) -> Item:
    return Item(
        case_id=case_id,
        versions=int(items.versions[n]),
        pass_rate=_known(items.pass_rate[n]),
        discrimination=_known(items.discrimination[n]),
        discrimination_low=_known(items.discrimination_low[n]),
        discrimination_high=_known(items.discrimination_high[n]),
    )


def _known(value: np.float64) -> float | None:
    return None if np.isnan(value) else float(value)


def _named(case_ids: Sequence[str], which: NDArray[np.bool_]) -> tuple[str, ...]:
    return tuple(case_id for case_id, wanted in zip(case_ids, which, strict=True) if wanted)
