"""A new version that a replay sees before traffic shows it."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from monitor.changes.detected import Detected
from monitor.changes.fingerprint import Identity
from monitor.changes.kind import kind_of
from monitor.domain.version import ChangeKind, Version


def version_of_replay(
    identity: Identity,
    *,
    known: Sequence[Version],
    current: str | None,
    at: datetime,
    run_id: str,
    models: Mapping[str, int],
) -> Detected | None:
    """Return the change to an unknown version that answered a replay; None when the version is known.

    A known version that is not the current one is not a change: traffic decides which version is current. Otherwise a
    rollout after its announcement would be recorded as a rollback. `models` counts the replies by reported model.
    """
    fields = {version.id: version.identity for version in known}
    if identity.digest in fields:
        return None
    return Detected(
        to_version=identity.digest,
        at=at,
        kind=kind_of(fields[current], identity.fields) if current in fields else ChangeKind.UNKNOWN,
        identity=identity,
        from_version=current,
        evidence={"replay": run_id, "replies": dict(models)},
    )
