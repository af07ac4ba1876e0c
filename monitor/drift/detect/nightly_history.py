"""From the stored nights of a set to the history that the watch reads."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from monitor.domain.nights import Cells, Floats, Night, NightRows
from monitor.domain.policy import DriftPolicy
from monitor.drift.detect.history import History, stretches
from monitor.stats.night_tally import NightTally

LEAST_BEFORE = 2  # nights that the watch needs to compare anything with
UNNAMED = "uncategorised"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Nights:
    """A history, and which run each of its nights is; `again` is the A/A share of its nights."""

    nights: tuple[Night, ...]
    history: History
    again: NightTally
    case_ids: tuple[str, ...] = ()  # of each case of the history

    def index(self, run_id: str | None) -> int | None:
        """The night of a run; None when it is none of these."""
        return next((t for t, night in enumerate(self.nights) if night.run_id == run_id), None)


def build_nights(rows: NightRows, policy: DriftPolicy) -> Nights:
    """The nights with enough scored cases; an outage is no night. Cases that were never scored are left out."""
    count = _sums(rows, rows.cells, rows.cells.count)
    asked = np.array([max(night.cases, 1) for night in rows.nights], dtype=np.float64)
    kept = (count > 0).sum(axis=1) / asked >= policy.min_scored_share
    seen = (count[kept] > 0).any(axis=0)
    taken = np.ix_(kept, seen)
    nights = tuple(night for night, keep in zip(rows.nights, kept, strict=True) if keep)
    again = _tally(rows, rows.repeats, taken)
    versions, judges = served_versions(nights), tuple(night.judge for night in nights)
    return Nights(
        nights=nights,
        history=History(
            id=f"{rows.deployment}/{rows.set_name}",
            categories=tuple(name for name, keep in zip(rows.categories, seen, strict=True) if keep),
            versions=versions,
            judges=judges,
            tally=_tally(rows, rows.cells, taken),
            failures=_failures(rows, count.shape, taken),
            baseline_nights=baseline_nights(versions, judges, policy.baseline_nights),
            alpha=policy.alpha_silent,
            alpha_change=policy.alpha_change,
            horizon=policy.horizon_nights,
            again=again,
        ),
        again=again,
        case_ids=tuple(name for name, keep in zip(rows.case_ids, seen, strict=False) if keep),
    )


def served_versions(nights: Sequence[Night]) -> tuple[str, ...]:
    """What served each night, the same text as long as nothing is known to have changed.

    A night whose replies did not say what served them is no evidence of a change. A change that a night replayed is
    one, also when the version is called as before.
    """
    served: list[str] = []
    version: str | None = None
    for night in nights:
        other = None not in (version, night.version) and version != night.version
        version = night.version or version
        served.append(f"{version} since {night.run_id}" if not served or other or night.change_id else served[-1])
    return tuple(served)


def baseline_nights(versions: Sequence[str], judges: Sequence[str], wanted: int) -> int:
    """How many nights are learnt from: a known change that comes sooner is judged with what there is.

    >>> baseline_nights(["a"] * 20, ["j"] * 20, 14), baseline_nights(["a", "a", "a", "b"], ["j"] * 4, 14)
    (14, 3)
    """
    cut = stretches(versions, judges)
    return max(LEAST_BEFORE, min(wanted, cut[0].end)) if len(cut) > 1 else wanted


def _tally(rows: NightRows, cells: Cells, taken: tuple[NDArray[np.intp], ...]) -> NightTally:
    count, first = _sums(rows, cells, cells.count)[taken], _sums(rows, cells, cells.first)[taken]
    if np.array_equal(cells.first, cells.second):  # x = x^2: nothing but 0 and 1
        return NightTally(count=count, first=first, second=first, third=first)
    second, third = _sums(rows, cells, cells.second)[taken], _sums(rows, cells, cells.third)[taken]
    return NightTally(count=count, first=first, second=second, third=third)


def _sums(rows: NightRows, cells: Cells, values: Floats) -> Floats:
    sums = np.zeros((len(rows.nights), len(rows.categories)))
    sums[cells.night, cells.case] = values
    return sums


def _failures(rows: NightRows, shape: tuple[int, ...], taken: tuple[NDArray[np.intp], ...]) -> dict[str, Floats]:
    """Counts by failure category; empty where nobody names failures: then they say no more than the score."""
    found = rows.failures
    names = np.array(found.name, dtype=object)
    counts: dict[str, Floats] = {}
    for name in sorted(set(found.name)):
        these = names == name
        counts[name] = np.zeros(shape)
        counts[name][found.night[these], found.case[these]] = found.count[these]
        counts[name] = counts[name][taken]
    named = {name: count for name, count in counts.items() if count.any()}
    return {} if set(named) <= {UNNAMED} else named
