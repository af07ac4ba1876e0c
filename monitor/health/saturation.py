"""Whether the cases of a set still tell versions apart, and which of them look wrongly labelled."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from monitor.stats.items import MIN_VERSIONS, ItemStatistics, item_statistics

Floats = NDArray[np.float64]
FEWEST_TO_SATURATE = 2
FEWEST_FAILED = 4  # versions that all failed a case before its reference is doubted ...
GOOD = 0.8  # ... and the best of them passes so much of the set: to a weak one a hard case is just hard
LEVEL = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One case over the versions seen. None where the versions are too few or nothing varies."""

    case_id: str
    versions: int
    pass_rate: float | None
    discrimination: float | None
    discrimination_low: float | None
    discrimination_high: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Saturation:
    """`share` of the judged cases (two versions or more) had the same score under every version: `always_pass` of them
    1, `always_fail` 0. None without such a case. `separating` cases rise with the rest of the set, with their whole
    interval; None before 8 versions.
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
    """Suspects, by what speaks against their label or their rule; each deserves a person's look and no more.

    `backwards`: better versions fail it, its discrimination lies below 0 with its whole interval. `expected` of them
    would show by chance alone. `nobody_passes`: four versions or more failed it, and the best of them passes 0.8 of the
    set. `unsteady`: runs of one version disagree about it. None stands for too few versions or runs to tell.
    """

    backwards: tuple[str, ...] | None
    expected: float | None
    nobody_passes: tuple[str, ...] | None
    unsteady: tuple[str, ...] | None


def saturation_of(case_ids: Sequence[str], scores: Floats) -> Saturation:
    """Formulas in monitor/stats/items.py. `scores` [versions, cases] in [0, 1], NaN where not scored."""
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


def label_noise_of(case_ids: Sequence[str], scores: Floats, unsteady: Sequence[bool] | None) -> LabelNoise:
    """`unsteady` [cases]: whether runs of one version disagree, as `unsteady_cases` tells; None: not to be told."""
    items = item_statistics(scores, LEVEL)
    told = ~np.isnan(items.discrimination)
    enough = bool((items.versions >= MIN_VERSIONS).any())
    failed = (items.versions >= FEWEST_FAILED) & items.never_separates & (items.pass_rate <= 0.0)
    backwards = told & (np.nan_to_num(items.discrimination_high, nan=1.0) < 0.0)
    order = np.argsort(np.nan_to_num(items.discrimination, nan=2.0), kind="stable")
    return LabelNoise(
        backwards=tuple(case_ids[n] for n in order if backwards[n]) if enough else None,
        expected=float(told.sum()) * (1.0 - LEVEL) / 2.0 if enough else None,
        nobody_passes=_named(case_ids, failed) if _good_enough(scores, items) else None,
        unsteady=_named(case_ids, np.asarray(unsteady)) if unsteady is not None else None,
    )


def _good_enough(scores: Floats, items: ItemStatistics) -> bool:
    """Whether what every version fails is a reason to doubt the case."""
    if not (items.versions >= FEWEST_FAILED).any():
        return False
    known = ~np.isnan(scores)
    rates = np.where(known, scores, 0.0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    return bool(rates.max(initial=0.0) >= GOOD)


def unsteady_cases(
    passes: NDArray[np.int64], runs: NDArray[np.int64], at_least: float = 0.3, fewest: int = 4
) -> list[bool] | None:
    """Which cases get different verdicts from one version.

    Formula:   sum over versions of 2 p (r - p) / (r - 1), by r, over the runs: the chance that two runs of one version
               disagree, p passes of r runs, weighted by runs. A case is unsteady from `at_least` on.
    Range:     [0, about 0.5]: 0.5 is a coin.
    Shapes:    passes, runs [versions, cases] counts.
    Empty:     a version with fewer than two runs of a case tells nothing of it; None when no case has `fewest` runs.
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
