"""Builds the history of the detector from the stored nights of a set."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from monitor.domain.nights import Cells, Floats, Night, NightRows
from monitor.domain.policy import DriftPolicy
from monitor.drift.detect.history import History, version_segments
from monitor.stats.night_tally import NightTally

MIN_NIGHTS_BEFORE = 2  # nights that the detector needs before the first comparison
UNNAMED = "uncategorised"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Nights:
    """A history with the run of each of its nights. `repeats` are the repeated answers of its nights."""

    nights: tuple[Night, ...]
    history: History
    repeats: NightTally
    case_ids: tuple[str, ...] = ()  # of each case of the history

    def index(self, run_id: str | None) -> int | None:
        """Return the night of a run; None when the run is not one of them."""
        return next((t for t, night in enumerate(self.nights) if night.run_id == run_id), None)


def build_nights(rows: NightRows, policy: DriftPolicy) -> Nights:
    """Return the nights with enough scored cases. An outage is not a night. Cases that were never scored are left
    out.
    """
    count = _matrix(rows, rows.cells, rows.cells.count)
    planned = np.array([max(night.cases, 1) for night in rows.nights], dtype=np.float64)
    scored_nights = (count > 0).sum(axis=1) / planned >= policy.min_scored_share
    scored_cases = (count[scored_nights] > 0).any(axis=0)
    selection = np.ix_(scored_nights, scored_cases)
    nights = tuple(night for night, is_scored in zip(rows.nights, scored_nights, strict=True) if is_scored)
    repeats = _tally(rows, rows.repeats, selection)
    versions, judges = served_versions(nights), tuple(night.judge for night in nights)
    return Nights(
        nights=nights,
        history=History(
            id=f"{rows.deployment}/{rows.set_name}",
            categories=tuple(name for name, is_scored in zip(rows.categories, scored_cases, strict=True) if is_scored),
            versions=versions,
            judges=judges,
            tally=_tally(rows, rows.cells, selection),
            failures=_failures(rows, count.shape, selection),
            baseline_nights=baseline_nights(versions, judges, policy.baseline_nights),
            alpha=policy.alpha_silent,
            alpha_change=policy.alpha_change,
            horizon=policy.horizon_nights,
            repeats=repeats,
        ),
        repeats=repeats,
        case_ids=tuple(name for name, is_scored in zip(rows.case_ids, scored_cases, strict=False) if is_scored),
    )


def served_versions(nights: Sequence[Night]) -> tuple[str, ...]:
    """Return the version of each night. The text stays the same until a change is known.

    A night whose replies have no version is no evidence of a change. A night that replayed a change is one, even if the
    version keeps its name.
    """
    served: list[str] = []
    version: str | None = None
    for night in nights:
        version_changed = None not in (version, night.version) and version != night.version
        version = night.version or version
        served.append(
            f"{version} since {night.run_id}" if not served or version_changed or night.change_id else served[-1]
        )
    return tuple(served)


def baseline_nights(versions: Sequence[str], judges: Sequence[str], configured: int) -> int:
    """Return the number of baseline nights: fewer than configured when an announced change comes sooner.

    >>> baseline_nights(["a"] * 20, ["j"] * 20, 14), baseline_nights(["a", "a", "a", "b"], ["j"] * 4, 14)
    (14, 3)
    """
    segments = version_segments(versions, judges)
    return max(MIN_NIGHTS_BEFORE, min(configured, segments[0].end)) if len(segments) > 1 else configured


def _tally(rows: NightRows, cells: Cells, selection: tuple[NDArray[np.intp], ...]) -> NightTally:
    count, first = _matrix(rows, cells, cells.count)[selection], _matrix(rows, cells, cells.first)[selection]
    if np.array_equal(cells.first, cells.second):  # x = x^2: nothing but 0 and 1
        return NightTally(count=count, first=first, second=first, third=first)
    second, third = _matrix(rows, cells, cells.second)[selection], _matrix(rows, cells, cells.third)[selection]
    return NightTally(count=count, first=first, second=second, third=third)


def _matrix(rows: NightRows, cells: Cells, values: Floats) -> Floats:
    sums = np.zeros((len(rows.nights), len(rows.categories)))
    sums[cells.night, cells.case] = values
    return sums


def _failures(rows: NightRows, shape: tuple[int, ...], selection: tuple[NDArray[np.intp], ...]) -> dict[str, Floats]:
    """Return the counts by failure category; empty when failures are not labelled, because the score has the same
    information.
    """
    found = rows.failures
    names = np.array(found.name, dtype=object)
    counts: dict[str, Floats] = {}
    for name in sorted(set(found.name)):
        rows_of_name = names == name
        counts[name] = np.zeros(shape)
        counts[name][found.night[rows_of_name], found.case[rows_of_name]] = found.count[rows_of_name]
        counts[name] = counts[name][selection]
    named = {name: count for name, count in counts.items() if count.any()}
    return {} if set(named) <= {UNNAMED} else named
