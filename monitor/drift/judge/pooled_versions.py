"""Compares two versions over all their nights, with the case as the unit. Pure."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from monitor.domain.nights import Floats, NightRows, Whole
from monitor.stats.clustered import ClusteredMean, clustered_difference
from monitor.stats.holm import holm


@dataclass(frozen=True, slots=True, kw_only=True)
class PooledEffect:
    """The mean scores of the cases before and after, and the mean of their differences. `p_adjusted` is Holm's over the
    overall test and all categories; None with fewer than two independent cases.
    """

    before: float
    after: float
    change: ClusteredMean
    p_adjusted: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PooledChange:
    overall: PooledEffect
    categories: Mapping[str, PooledEffect]  # by name


def pooled_change(
    rows: NightRows, before: Collection[str], after: Collection[str], clusters: Mapping[str, str]
) -> PooledChange | None:
    """Return the change from the runs `before` to the runs `after`, by id; None without a case that is scored in both.

    Formula:   a case has the mean of all its scored samples of the pooled runs on each side; effect, interval, p-value
               and smallest detectable effect are `clustered_difference` of the differences of the cases. So a case that
               answers alike every night counts once, however many nights there are. `clusters` has the cluster of a
               case id: its variants count once.
    Range:     means in [0, 1], effects in [-1, 1].
    Direction: negative is worse.
    Empty:     a case without a scored sample on one side is left out, never counted as a failure.
    Smallest:  two independent cases for an interval; trust it from 20 on.
    Source:    `clustered_difference`; Holm, Scand J Stat 6 (1979) 65-70.
    Differs:   nights and samples of one case are averaged with equal weight of each sample. The repeated answers that
               measure only noise are left out.
    """
    count_before, sum_before = _sums(rows, before)
    count_after, sum_after = _sums(rows, after)
    both = np.flatnonzero((count_before > 0) & (count_after > 0))
    if not both.size:
        return None
    then, now = sum_before[both] / count_before[both], sum_after[both] / count_after[both]
    units = [_unit(rows.case_ids[case], clusters) for case in both]
    names = [rows.categories[case] for case in both]
    groups = {name: np.array([at for at, one in enumerate(names) if one == name]) for name in sorted(set(names))}
    everything = [np.arange(both.size), *groups.values()]
    found = [_difference(then, now, units, members) for members in everything]
    adjusted = holm([1.0 if one.p_value is None else one.p_value for one in found])
    effects = [
        PooledEffect(
            before=float(then[members].mean()),
            after=float(now[members].mean()),
            change=change,
            p_adjusted=None if change.p_value is None else p_value,
        )
        for members, change, p_value in zip(everything, found, adjusted, strict=True)
    ]
    return PooledChange(overall=effects[0], categories=dict(zip(groups, effects[1:], strict=True)))


def _sums(rows: NightRows, runs: Collection[str]) -> tuple[Floats, Floats]:
    """Return the number of scored samples of each case in these runs, and the sum of their scores."""
    chosen = np.array([night.run_id in runs for night in rows.nights], dtype=bool)[rows.cells.night]
    case, cases = rows.cells.case[chosen], len(rows.categories)
    count, total = (
        np.bincount(case, weights=values[chosen], minlength=cases).astype(np.float64)
        for values in (rows.cells.count, rows.cells.first)
    )
    return count, total


def _difference(then: Floats, now: Floats, units: Sequence[str], members: Whole) -> ClusteredMean:
    change = clustered_difference((now - then)[members].tolist(), [units[at] for at in members])
    assert change is not None, "every group has a case"
    return change


def _unit(case_id: str, clusters: Mapping[str, str]) -> str:
    return f"cluster {clusters[case_id]}" if case_id in clusters else f"case {case_id}"
