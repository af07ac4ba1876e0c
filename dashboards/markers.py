"""Positions of version changes on the axis of a chart. Pure."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from string import ascii_uppercase

from dashboards.charts.changes import Marker
from dashboards.charts.time_axis import TimeAxis
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


def changes_within(snapshot: Snapshot, deployment: str, moments: Iterable[datetime]) -> list[ChangeItem]:
    """Return the changes after the first of the moments, oldest first."""
    first = min(moments, default=None)
    return [row for row in changes_of(snapshot, deployment) if first is not None and row.at > first]


def tagged_markers(snapshot: Snapshot, changes: Sequence[ChangeItem], axis: TimeAxis) -> list[Marker]:
    """Return a marker for each change at its time, labelled A, B and so on. The list of changes below a chart explains
    the letters, so no text is cut.
    """
    return [
        Marker(
            label=tag(number),
            detail=_detail(snapshot, change),
            share=axis.share(change.at),
            order=axis.place(change.at),
        )
        for number, change in enumerate(changes)
    ]


def tag(number: int) -> str:
    """Return A to Z, then AA, AB and so on.

    >>> tag(0), tag(25), tag(26), tag(53)
    ('A', 'Z', 'AA', 'BB')
    """
    letters = len(ascii_uppercase)
    return ("" if number < letters else tag(number // letters - 1)) + ascii_uppercase[number % letters]


def explain_change(snapshot: Snapshot, change: ChangeItem) -> str:
    """Return `model change, observed: gpt-4-0314 → gpt-4-0613`."""
    return f"{change.kind} change, {change.how}: {describe_change(snapshot, change)}"


def _detail(snapshot: Snapshot, change: ChangeItem) -> str:
    return f"{describe_change(snapshot, change)} ({change.kind}, {change.how}, {moment_in_zone(change.at)})"
