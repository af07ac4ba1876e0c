"""Which runs stand together on a chart's axis: pure.

Runs are drawn in their order, evenly spaced, because the replay after a change follows a night by minutes and would
hide behind it on an axis of time. The sets replayed in one go share a slot.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from dashboards.standing import happened_at
from monitor.api.schema import RunItem

TOGETHER = timedelta(hours=6)  # a slot holds runs that began within this of its first


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """Runs of different sets under one version, one run a set."""

    began: datetime
    runs: tuple[RunItem, ...]


def arrange(runs: Sequence[RunItem]) -> list[Slot]:
    """Slots in the order of time; `runs` may come in any."""
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
