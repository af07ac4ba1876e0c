"""Groups runs into slots: sets that are replayed together share a place on the axis of a chart. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from dashboards.set_status import happened_at
from monitor.api.schema import RunItem

TOGETHER = timedelta(hours=6)  # a run belongs to a slot if it began within this time of the slot's first run


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """Runs of different sets under one version, at most one run per set."""

    began: datetime
    runs: tuple[RunItem, ...]


def arrange(runs: Sequence[RunItem]) -> list[Slot]:
    """Return the slots, oldest first. `runs` may be in any order."""
    groups: list[list[RunItem]] = []
    for run in sorted(runs, key=lambda run: (happened_at(run), run.set_name)):
        if groups and _belongs(run, groups[-1]):
            groups[-1].append(run)
        else:
            groups.append([run])
    return [Slot(began=happened_at(group[0]), runs=tuple(group)) for group in groups]


def _belongs(run: RunItem, group: Sequence[RunItem]) -> bool:
    return (
        all(other.set_name != run.set_name for other in group)
        and run.version == group[0].version
        and happened_at(run) - happened_at(group[0]) <= TOGETHER
    )
