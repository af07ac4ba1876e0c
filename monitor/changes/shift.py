"""Change-point detection on a series of labels: a two-sample comparison at the best cut."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

MIN_COUNT = 5  # labels rarer than this are counted as one: the chi-square distribution needs the counts
OTHER = "other"

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shift:
    """A cut: `reference` older labels, then `recent` newer ones, with their counts and the distance between them."""

    reference: int
    recent: int
    before: dict[str, int]
    after: dict[str, int]
    distance: float
    p_value: float


def find_shift(
    labels: Sequence[str],
    *,
    min_part: int,
    alpha: float,
    distance: float,
    rising: str | None = None,
    rising_to: float = 0.0,
) -> Shift | None:
    """Return the cut of `labels` (oldest first) that best separates two distributions, or None when they are one.

    The two parts are at least `distance` apart (total variation, half the sum of the differences of shares, 0 to 1).
    With `rising`, only cuts count after which that label has a larger share than before, and at least `rising_to`. The
    cut with the largest likelihood ratio is chosen. If one of its parts has fewer than `min_part` labels, the result is
    None: it is too early to decide. The cut is tested with Fisher's exact test for two labels, else with Pearson's
    chi-square (better than G for small counts). The data chose the cut, so `p_value` is multiplied by the number of
    cuts (Bonferroni), and it must be at most `alpha`.

    Source: for the likelihood-ratio cut, Chen and Gupta, "Parametric Statistical Change Point Analysis", 2nd ed. 2012,
    ch. 6 (binomial), and its extension to several categories.

    >>> found = find_shift(["a"] * 40 + ["b"] * 20, min_part=20, alpha=0.001, distance=0.5)
    >>> found.reference, found.recent, found.distance
    (40, 20, 1.0)
    >>> find_shift(["a", "b"] * 40, min_part=20, alpha=0.001, distance=0.5) is None
    True

    Source: for the likelihood ratio cut, Chen and Gupta, "Parametric Statistical Change Point Analysis", 2nd ed. 2012,
    ch. 6 (binomial), and its extension to several categories.
    """
    names, counts = _count(labels)
    if len(names) < 2 or len(labels) < 2 * min_part:
        return None
    older = counts[:-1]  # row i: counts before the cut after label i
    newer = counts[-1] - older
    distances = _distances(older, newer)
    eligible = distances >= distance
    if rising is not None:
        eligible &= _rises(older, newer, names.index(rising) if rising in names else None, rising_to)
    if not eligible.any():
        return None
    best = int(np.argmax(np.where(eligible, _likelihood(older, newer), -np.inf)))
    cut = best + 1
    if min(cut, len(labels) - cut) < min_part:
        return None
    p_value = min(1.0, _p_value(older[best], newer[best]) * len(older))
    return None if p_value > alpha else _shift(labels, cut, distance=float(distances[best]), p_value=p_value)


def occurred_before(labels: Sequence[str], recent: Sequence[str], *, distance: float) -> bool:
    """Return whether some window of `labels`, as long as `recent`, had nearly its distribution (total variation <
    `distance`).

    A provider with alternating backends shows the same proportions again and again; that is not a shift.
    """
    length = len(recent)
    if not length or len(labels) < length:
        return False
    names = sorted({*labels, *recent})
    codes = _one_hot([*labels, *recent], names)
    running = np.concatenate([np.zeros((1, len(names))), np.cumsum(codes[: len(labels)], axis=0)])
    stretches = running[length:] - running[:-length]
    now = np.broadcast_to(codes[len(labels) :].sum(axis=0), stretches.shape)
    return bool((_distances(stretches, now) < distance).any())


def _count(labels: Sequence[str]) -> tuple[list[str], Array]:
    """Return the names, with rare ones folded into one, and their cumulative counts at every position."""
    totals = Counter(labels)
    folded = [label if totals[label] >= MIN_COUNT else OTHER for label in labels]
    names = sorted(set(folded))
    return names, np.cumsum(_one_hot(folded, names), axis=0)


def _one_hot(labels: Sequence[str], names: Sequence[str]) -> Array:
    index = {name: i for i, name in enumerate(names)}
    hot = np.zeros((len(labels), len(names)))
    hot[np.arange(len(labels)), [index[label] for label in labels]] = 1.0
    return hot


def _shares(counts: Array) -> Array:
    shares: Array = counts / counts.sum(axis=1, keepdims=True)
    return shares


def _distances(one: Array, other: Array) -> Array:
    distance: Array = 0.5 * np.abs(_shares(one) - _shares(other)).sum(axis=1)
    return distance


def _rises(older: Array, newer: Array, column: int | None, to_share: float) -> NDArray[np.bool_]:
    if column is None:
        return np.zeros(len(older), dtype=np.bool_)
    before, after = _shares(older)[:, column], _shares(newer)[:, column]
    rises: NDArray[np.bool_] = (after > before) & (after >= to_share)
    return rises


def _likelihood(older: Array, newer: Array) -> Array:
    """Return the log likelihood of two distributions, up to a term that all cuts share."""
    return -(_entropy(older) + _entropy(newer))


def _entropy(counts: Array) -> Array:
    from scipy.special import entr  # half a second, which a start must not wait for

    entropy: Array = entr(_shares(counts)).sum(axis=1) * counts.sum(axis=1)
    return entropy


def _p_value(older: Array, newer: Array) -> float:
    from scipy import stats  # a second, and most deployments never shift

    table = np.vstack([older, newer])
    if table.shape[1] == 2:
        return float(stats.fisher_exact(table.astype(np.int64)).pvalue)
    return float(stats.chi2_contingency(table, correction=False).pvalue)


def _shift(labels: Sequence[str], cut: int, *, distance: float, p_value: float) -> Shift:
    return Shift(
        reference=cut,
        recent=len(labels) - cut,
        before=dict(Counter(labels[:cut]).most_common()),
        after=dict(Counter(labels[cut:]).most_common()),
        distance=distance,
        p_value=p_value,
    )
