"""Positions of version changes on the axis of a chart. Pure."""

from collections import defaultdict
from collections.abc import Sequence

from dashboards.charts.changes import Marker
from dashboards.slots import Slot
from dashboards.snapshot import Snapshot
from dashboards.times import moment_in_zone
from monitor.api.schema import ChangeItem


def changes_of(snapshot: Snapshot, deployment: str) -> list[ChangeItem]:
    """Return the changes between versions, oldest first. The first version of a deployment is not a change."""
    changes = [row for row in snapshot.changes if row.deployment == deployment and row.from_version is not None]
    return sorted(changes, key=lambda change: change.at)


def describe_change(snapshot: Snapshot, change: ChangeItem) -> str:
    """Return `gpt-4-0314 → gpt-4-0613`. Equal versions mean a shift of the system fingerprints."""
    after = snapshot.version_label(change.deployment, change.to_version)
    if change.from_version is None:
        return f"{after} first seen"
    if change.from_version == change.to_version:
        return f"{after}: fingerprints shifted"
    return f"{snapshot.version_label(change.deployment, change.from_version)} → {after}"


def markers_between(snapshot: Snapshot, deployment: str, slots: Sequence[Slot]) -> list[Marker]:
    """Return a marker for each change, placed before the first slot that began after it.

    Changes before the first slot are left out. Several changes between the same two slots share one marker.
    """
    places: defaultdict[int, list[ChangeItem]] = defaultdict(list)
    for change in changes_of(snapshot, deployment):
        place = next((order for order, slot in enumerate(slots) if slot.began >= change.at), len(slots))
        if place > 0:
            places[place].append(change)
    return [
        Marker(
            label=_short(snapshot, changes[-1]) + (f" (+{len(changes) - 1})" if len(changes) > 1 else ""),
            detail="; ".join(_detail(snapshot, change) for change in changes),
            share=place / len(slots),
            order=place - 0.5,
        )
        for place, changes in places.items()
    ]


def _short(snapshot: Snapshot, change: ChangeItem) -> str:
    label = snapshot.version_label(change.deployment, change.to_version)
    return f"{label} shifted" if change.from_version == change.to_version else f"→ {label}"


def _detail(snapshot: Snapshot, change: ChangeItem) -> str:
    return f"{describe_change(snapshot, change)} ({change.kind}, {change.how}, {moment_in_zone(change.at)})"
