"""The audit log."""

from datetime import datetime
from typing import Literal

from pydantic import Field

from monitor.api.schema.wire import Wire

AuditKindName = Literal[
    "write",
    "refused",
    "login",
    "login_failed",
    "ingest",
    "reveal",
    "export",
    "read",
    "checkpoint",
    "acknowledged",
]


class AuditItem(Wire):
    """An entry of the audit log. `operation` is the method and the path template of a route, `status` that of its
    response. `count` is the number of requests that the entry represents.

    `hash` is the SHA-256 of `previous`, the hash of the entry before, and of the entry as canonical JSON.
    """

    number: int
    at: datetime
    kind: AuditKindName
    operation: str
    principal: str | None
    deployment: str | None
    object_id: str | None
    status: int | None
    count: int
    address: str | None
    request_id: str | None
    previous: str
    hash: str


class BreakItem(Wire):
    """A broken link of the chain: the number of the entry that is wrong or missing, and the reason."""

    number: int
    reason: str


class AuditVerification(Wire):
    """The result of a verification of the whole chain. `head` is the newest entry as `NUMBER:HASH`. `breaks` are the
    broken links that no one has acknowledged, the first one first, 100 at most together with acknowledged ones.
    """

    ok: bool
    entries: int
    first: int | None
    head: str | None
    breaks: list[BreakItem]
    acknowledged: list[BreakItem]


class AcknowledgeBreaks(Wire):
    """Acknowledge the broken links with these numbers. They stay in the result of each verification."""

    numbers: list[int] = Field(min_length=1, max_length=10)
