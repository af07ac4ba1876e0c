"""The result of change detection, and the rows that it becomes."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from monitor.changes.fingerprint import Identity
from monitor.domain.version import Change, ChangeKind, How, Version


@dataclass(frozen=True, slots=True, kw_only=True)
class Detected:
    """A new version (`identity` is set), a change to a version (`from_version` is set), or both.

    The first version of a deployment is not a change. `at` is when the version first answered or took over.
    """

    to_version: str
    at: datetime
    kind: ChangeKind = ChangeKind.UNKNOWN
    identity: Identity | None = None
    from_version: str | None = None
    evidence: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """The rows to insert, in order."""

    versions: tuple[Version, ...]
    changes: tuple[Change, ...]


def record(
    found: Iterable[Detected],
    *,
    deployment: str,
    noted_at: datetime,
    new_id: Callable[[], str],
    how: How = How.OBSERVED,
) -> Recorded:
    """Return the versions and changes for `found`.

    Each change is noted a microsecond after the one before it. The newest `noted_at` names the current version, so
    changes found together must not have equal times.
    """
    versions: list[Version] = []
    changes: list[Change] = []
    for detected in found:
        if detected.identity is not None:
            versions.append(_version(detected, deployment, how))
        if detected.from_version is not None:
            at = noted_at + timedelta(microseconds=len(changes))
            changes.append(_change(detected, deployment, how, noted_at=at, id=new_id()))
    return Recorded(versions=tuple(versions), changes=tuple(changes))


def _version(detected: Detected, deployment: str, how: How) -> Version:
    assert detected.identity is not None
    return Version(
        id=detected.to_version,
        deployment=deployment,
        label=detected.identity.label,
        identity=detected.identity.fields,
        first_seen=detected.at,
        how=how,
        evidence=detected.evidence,
    )


def _change(detected: Detected, deployment: str, how: How, *, noted_at: datetime, id: str) -> Change:  # noqa: A002  the field's name
    return Change(
        id=id,
        deployment=deployment,
        at=detected.at,
        noted_at=noted_at,
        kind=detected.kind,
        how=how,
        from_version=detected.from_version,
        to_version=detected.to_version,
        evidence=detected.evidence,
    )
