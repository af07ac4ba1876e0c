"""Access to sealed texts: only with the role `reveal`, only on request, and always with an entry in the reveal log."""

import json
from collections.abc import Callable, Sequence
from typing import Annotated

from fastapi import Query

from monitor.api import audit
from monitor.api.auth import Principal, Role
from monitor.api.context import ApiContext
from monitor.domain.audit import AuditKind
from monitor.domain.evalset import Revision, StoredCase
from monitor.errors import Conflict
from monitor.store.sets import revisions as evalsets
from monitor.store.sets.sealed_sets import case_context
from replay.errors import SealError
from replay.evalsets.case_codec import case_from_store
from replay.evalsets.sealing import Sealer
from replay.types import Case

Reveal = Annotated[
    bool, Query(alias="reveal", description="Show sealed texts. Requires the role `reveal`; each request is logged.")
]
Open = Callable[[bytes, str], bytes]


def opener(context: ApiContext, sender: Principal, revision: Revision, *, reveal: bool) -> Open | None:
    """Return the function that decrypts a sealed revision for this sender, or None without access or seal."""
    if not reveal:
        return None
    audit.note(kind=AuditKind.REVEAL)
    sender.demand(Role.REVEAL)
    if not revision.sealed:
        return None
    return _explained(revision.name, _sealer(context, revision.name))


def log(context: ApiContext, sender: Principal, revision: Revision, what: str, case_ids: Sequence[str]) -> None:
    """Record which sender reads which cases. The entry is committed before the response is sent."""
    kind = AuditKind.EXPORT if what == "export" else AuditKind.REVEAL
    audit.note(kind=kind, object_id=f"{revision.name}@{revision.revision}")
    with context.store.write() as tx:
        evalsets.log_reveal(
            tx,
            at=context.clock.now(),
            who=sender.name,
            what=what,
            set_name=revision.name,
            revision=revision.revision,
            case_ids=case_ids,
        )


def case_content(row: StoredCase, revision: Revision, open_sealed: Open | None) -> Case | None:
    """Return the input and the expectation of a case, or None if it stays sealed."""
    location = case_context(row.set_name, row.case_id)
    if not revision.sealed:
        return case_from_store(json.loads(row.content), location)
    return case_from_store(json.loads(open_sealed(row.content, location)), location) if open_sealed else None


def _sealer(context: ApiContext, set_name: str) -> Sealer:
    sealer = context.sealer_of(set_name)
    if sealer is None:
        raise Conflict(f"eval set {set_name!r} is sealed and no key is configured for it; set sets.{set_name}.key_file")
    return sealer


def _explained(set_name: str, sealer: Sealer) -> Open:
    def open_sealed(sealed: bytes, location: str) -> bytes:
        try:
            return sealer.open(sealed, location)
        except SealError as error:
            raise Conflict(f"eval set {set_name!r} cannot be decrypted: {error}") from None

    return open_sealed


def as_text(open_sealed: Open) -> Callable[[bytes, str], str]:
    """Return the decryption function for texts."""
    return lambda sealed, location: open_sealed(sealed, location).decode()
