"""The audit log: its entries, its verification, and the acknowledgement of broken links."""

from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response

from monitor.api.access import Sender, needs
from monitor.api.auth import Role
from monitor.api.body import Write, model_body
from monitor.api.context import ApiContext, Context
from monitor.api.idempotency import write_once
from monitor.api.listing import ListQuery, as_list
from monitor.api.problems import Unprocessable
from monitor.api.schema import ListPage
from monitor.api.schema.audit import AcknowledgeBreaks, AuditItem, AuditKindName, AuditVerification, BreakItem
from monitor.domain.audit import Action, AuditEntry, AuditKind, Head, head_of
from monitor.domain.audit_chain import Verification
from monitor.errors import Conflict
from monitor.store.access import audit
from monitor.store.access.audit_state import AuditChain
from monitor.store.engine.database import Tx

router = APIRouter(prefix="/api/v1/audit", tags=["access"])
Filter = Annotated[str | None, Query(max_length=200)]
Anchors = Annotated[
    list[str] | None,
    Query(alias="anchor", max_length=20, description="A known entry as `NUMBER:HASH`, for example from a log line."),
]


@router.get("", **needs(Role.ADMIN))
def list_audit(
    context: Context,
    query: ListQuery,
    principal: Filter = None,
    operation: Filter = None,
    kind: AuditKindName | None = None,
) -> ListPage[AuditItem]:
    """List the entries of the audit log, the newest first. `operation` finds every operation that contains it."""
    with context.store.read() as tx:
        wanted = AuditKind(kind) if kind else None
        found = audit.page(tx, query, principal=principal, operation=operation, kind=wanted)
    return as_list(found, _item)


@router.get("/verification", **needs(Role.ADMIN))
def verify_audit(context: Context, anchors: Anchors = None) -> AuditVerification:
    """Verify the chain of all entries: which ones were changed, removed, added or moved."""
    return _result(_chain(context).verify([_head(text) for text in anchors or []]))


@router.post("/acknowledge", response_model=AuditVerification, **needs(Role.ADMIN, **model_body(AcknowledgeBreaks)))
def acknowledge_breaks(context: Context, write: Write, sender: Sender) -> Response:
    """Acknowledge broken links, which resolves their alert. The acknowledgement is an entry of the audit log."""
    order, chain = write.parse(AcknowledgeBreaks), _chain(context)
    found = chain.verify()
    unknown = set(order.numbers) - {each.number for each in found.breaks}
    if unknown:
        raise Conflict(f"entry {min(unknown)} is no broken link that waits for an acknowledgement")

    def work(tx: Tx) -> tuple[int, AuditVerification]:
        now = context.audit.now()
        audit.record(
            tx,
            Action(
                at=now,
                kind=AuditKind.ACKNOWLEDGED,
                operation="acknowledge broken links",
                principal=sender.name,
                object_id=",".join(each.label for each in found.breaks if each.number in order.numbers),
            ),
        )
        return 200, _result(audit.verify(tx, [tx.audit_head] if tx.audit_head else []))

    answer = write_once(context, write, work)
    chain.verify()
    return answer


def _chain(context: ApiContext) -> AuditChain:
    return context.audit_chain or AuditChain(context.store)


def _head(text: str) -> Head:
    head = head_of(text)
    if head is None:
        raise Unprocessable("query.anchor: NUMBER:HASH is expected, with a hash of 64 hexadecimal digits")
    return head


def _item(entry: AuditEntry) -> AuditItem:
    link = {"number": entry.number, "previous": entry.previous, "hash": entry.hash}
    return AuditItem.model_validate(asdict(entry.action) | link | {"kind": entry.action.kind.value})


def _result(found: Verification) -> AuditVerification:
    return AuditVerification(
        ok=found.broken is None,
        entries=found.entries,
        first=found.first,
        head=None if found.head is None else str(found.head),
        breaks=[BreakItem(number=each.number, reason=each.reason) for each in found.breaks],
        acknowledged=[BreakItem(number=each.number, reason=each.reason) for each in found.acknowledged],
    )
