"""Showing what is sealed: with the role `reveal`, on request, and never without a line in the reveal log."""

import json
from collections.abc import Callable, Sequence
from typing import Annotated

from fastapi import Query

from monitor.api.auth import Principal, Role
from monitor.api.context import ApiContext
from monitor.domain.evalset import Revision, StoredCase
from monitor.errors import Conflict
from monitor.store.sets import revisions as evalsets
from monitor.store.sets.sealed_sets import case_context
from replay.errors import SealError
from replay.evalsets.case_codec import case_from_json
from replay.evalsets.sealing import Sealer
from replay.types import Case

Reveal = Annotated[bool, Query(alias="reveal", description="show sealed texts; needs the role `reveal` and is logged")]
Open = Callable[[bytes, str], bytes]


def opener(context: ApiContext, sender: Principal, revision: Revision, *, reveal: bool) -> Open | None:
    """What opens the texts of a sealed revision for this sender; None when they stay closed or are not sealed."""
    if not reveal:
        return None
    sender.demand(Role.REVEAL)
    if not revision.sealed:
        return None
    return _explained(revision.name, _sealer(context, revision.name))


def log(context: ApiContext, sender: Principal, revision: Revision, what: str, case_ids: Sequence[str]) -> None:
    """Write who is about to see which cases. It is committed before the answer leaves; failing to, nothing leaves."""
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
    """What the case asks and expects; None when it is sealed and stays closed."""
    place = case_context(row.set_name, row.case_id)
    if not revision.sealed:
        return case_from_json(json.loads(row.content), place)
    return case_from_json(json.loads(open_sealed(row.content, place)), place) if open_sealed else None


def _sealer(context: ApiContext, set_name: str) -> Sealer:
    sealer = context.sealer_of(set_name)
    if sealer is None:
        raise Conflict(f"eval set {set_name!r} is sealed and no key is configured for it; set sets.{set_name}.key_file")
    return sealer


def _explained(set_name: str, sealer: Sealer) -> Open:
    def open_sealed(sealed: bytes, place: str) -> bytes:
        try:
            return sealer.open(sealed, place)
        except SealError as error:
            raise Conflict(f"eval set {set_name!r} cannot be opened: {error}") from None

    return open_sealed


def as_text(open_sealed: Open) -> Callable[[bytes, str], str]:
    """The same for texts."""
    return lambda sealed, place: open_sealed(sealed, place).decode()
