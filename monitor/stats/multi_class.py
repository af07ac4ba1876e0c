"""Compares two versions with one of several labels per case: whether the mix of labels changed, and which labels."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from monitor.domain.finding import Interval
from monitor.stats.holm import holm
from monitor.stats.mcnemar import exact_mcnemar
from monitor.stats.two_versions.paired_interval import tango_interval

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelShift:
    """One label. `effect` is its share after minus before; `p_value_adjusted` is adjusted over all labels (Holm)."""

    label: str
    before: int
    after: int
    effect: float
    interval: Interval
    p_value: float
    p_value_adjusted: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MultiClassChange:
    """`statistic` is Stuart-Maxwell's, `bhapkar` Bhapkar's, both chi-square with `degrees`; 0 degrees means nothing
    moved.
    """

    n: int
    statistic: float
    p_value: float
    bhapkar: float
    bhapkar_p_value: float
    degrees: int
    labels: tuple[LabelShift, ...]


def compare_labels(before: Sequence[str | None], after: Sequence[str | None]) -> MultiClassChange:
    """Return whether the mix of labels changed on the same cases, and which labels moved.

    Formula:   with d_i = n_i. - n_.i and S_ii = n_i. + n_.i - 2 n_ii, S_ij = -(n_ij + n_ji): Stuart-Maxwell's
               chi-square Q = d' S^- d, degrees the rank of S; Bhapkar's W = Q / (1 - Q / n). Per label: exact
               McNemar of 'is it this label', Holm over the labels, Tango's interval of the share.
    Range:     statistics [0, inf) (Bhapkar's is the larger; inf at Q = n), p-values [0, 1].
    Direction: none overall, any change of the mix counts; per label a positive effect is more of it after.
    Shapes:    two lists of n labels, case by case.
    Empty:     a pair with None (missing, unscored) is left out; no pair raises ValueError. Labels that never leave nor
               enter carry no information. No case moved: statistic 0, p 1, 0 degrees.
    Smallest:  the chi-squares are for large samples: below about ten cases that moved trust the labels' exact tests.
    Source:    Stuart, Biometrika 42 (1955) 412-416; Maxwell, Br J Psychiatry 116 (1970) 651-655; Bhapkar, J Am Stat
               Assoc 61 (1966) 228-235. McNemar, Holm, Tango: see their functions.
    Differs:   a generalised inverse, so that labels without moves need not be dropped by hand.

    >>> change = compare_labels(["none"] * 20, ["none"] * 12 + ["format"] * 7 + ["fact"])
    >>> round(change.statistic, 2), change.degrees, round(change.p_value, 4)
    (8.0, 2, 0.0183)
    >>> [(shift.label, shift.effect, round(shift.p_value_adjusted, 3)) for shift in change.labels]
    [('fact', 0.05, 1.0), ('format', 0.35, 0.031), ('none', -0.4, 0.023)]
    """
    pairs = _pairs(before, after)
    names = sorted({label for pair in pairs for label in pair})
    position = {name: i for i, name in enumerate(names)}
    table = np.zeros((len(names), len(names)), dtype=np.int64)
    for old, new in pairs:
        table[position[old], position[new]] += 1
    n = len(pairs)
    statistic, degrees = _stuart_maxwell(table)
    bhapkar = statistic / (1.0 - statistic / n) if statistic < n * (1.0 - 1e-12) else float("inf")
    return MultiClassChange(
        n=n,
        statistic=statistic,
        p_value=_chi_square_tail(statistic, degrees),
        bhapkar=bhapkar,
        bhapkar_p_value=_chi_square_tail(bhapkar, degrees),
        degrees=degrees,
        labels=_label_shifts(table, names),
    )


def _pairs(before: Sequence[str | None], after: Sequence[str | None]) -> list[tuple[str, str]]:
    if len(before) != len(after):
        raise ValueError(f"labels are paired case by case: {len(before)} before, {len(after)} after")
    pairs = [(old, new) for old, new in zip(before, after, strict=True) if old is not None and new is not None]
    if not pairs:
        raise ValueError("a comparison needs at least one case with a label before and after, there is none")
    return pairs


def _stuart_maxwell(table: NDArray[np.int64]) -> tuple[float, int]:
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    moved = (rows - columns).astype(np.float64)
    spread = (np.diag(rows + columns) - table - table.T).astype(np.float64)
    inverse = np.linalg.pinv(spread, hermitian=True)
    return max(0.0, float(moved @ inverse @ moved)), int(np.linalg.matrix_rank(spread, hermitian=True))


def _chi_square_tail(statistic: float, degrees: int) -> float:
    from scipy.special import chdtrc  # half a second, which a start must not wait for

    return float(chdtrc(degrees, statistic)) if degrees else 1.0


def _label_shifts(table: NDArray[np.int64], names: Sequence[str]) -> tuple[LabelShift, ...]:
    n = int(table.sum())
    before = table.sum(axis=1).tolist()
    after = table.sum(axis=0).tolist()
    kept = np.diag(table).tolist()
    p_values = [exact_mcnemar(b - same, a - same) for b, a, same in zip(before, after, kept, strict=True)]
    return tuple(
        LabelShift(
            label=name,
            before=before[i],
            after=after[i],
            effect=(after[i] - before[i]) / n,
            interval=tango_interval(before[i] - kept[i], after[i] - kept[i], n),
            p_value=p_values[i],
            p_value_adjusted=adjusted,
        )
        for i, (name, adjusted) in enumerate(zip(names, holm(p_values), strict=True))
    )
