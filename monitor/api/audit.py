"""The audit log of the API: each request that changes data, is refused or shows sealed texts becomes an entry.

The entry of a write is part of its transaction. Other entries are stored before the answer is sent. Requests that are
refused, telemetry and reads of texts are counted (monitor/guards/audit_counts.py).
"""

import secrets
from collections.abc import Mapping
from dataclasses import replace
from http import HTTPStatus
from typing import Any

from anyio.to_thread import run_sync
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from monitor.api.auth import Role
from monitor.api.context import ApiContext
from monitor.api.problems import problem_response
from monitor.domain.audit import Action, AuditKind
from monitor.domain.deployment_limit import CURRENT as CURRENT_LIMIT
from monitor.errors import DriftdError
from monitor.guards.audit_counts import PERIODS, AuditCounts
from monitor.guards.failed_logins import source_of
from monitor.store.access import audit
from monitor.store.access.request_entry import CURRENT
from monitor.store.engine.database import Store, Tx

REQUEST_ID = "X-Request-ID"
READS = frozenset(["GET", "HEAD", "OPTIONS"])
OBJECTS = ("id", "name", "set_name")  # parameters and fields that name the object of an operation, the best first
SHOWS_TEXTS = frozenset(
    f"GET /api/v1/{path}"
    for path in (
        "interactions",
        "interactions/{id}",
        "feedback",
        "turns",
        "turns/sample",
        "turns/{id}",
        "candidates",
        "candidates/{id}",
        "candidates/{id}/sheet",
        "candidates/{id}/reproduction",
        "cases",
        "outcomes",
        "comparisons/case",
        "judges/sample",
        "dead_letters/{id}",
        "backups/{id}/chunk",
    )
)


class RequestAudit:
    """The entry of one request, while the request runs. It implements monitor/store/access/request_entry.py."""

    def __init__(self, store: Store, counts: AuditCounts) -> None:
        self._store, self._counts = store, counts
        self.request_id = f"req-{secrets.token_hex(8)}"
        self.action: Action | None = None  # None: the request has no sender yet, or needs no entry
        self._recorded = self._stored = self._finished = False

    def before_commit(self, tx: Tx) -> None:
        if self.action is not None and not self._stored and self.action.kind not in PERIODS:
            audit.record(tx, replace(self.action, at=self._counts.now()))
            self._recorded = True

    def after_commit(self) -> None:
        self._stored = self._stored or self._recorded

    async def finish(self, status: int) -> None:
        """Add the entry of a request without a commit. The answer is sent afterwards."""
        action = self.action
        if action is None or self._finished:
            return
        self._finished = True
        action = replace(action, at=self._counts.now(), status=status)
        if self._stored:
            if status >= HTTPStatus.BAD_REQUEST:  # after a part of the work was committed
                await run_sync(self._write, action)
        elif status >= HTTPStatus.BAD_REQUEST:
            if action.kind not in PERIODS or status == HTTPStatus.FORBIDDEN:
                # The sender chooses the object of a failed request freely: each would be a count of its own.
                self._counts.count(replace(action, kind=AuditKind.REFUSED, object_id=None, deployment=None))
        elif action.kind in {AuditKind.WRITE, AuditKind.EXPORT}:
            await run_sync(self._write, action)
        elif action.kind is AuditKind.INGEST or action.operation in SHOWS_TEXTS:
            kind = AuditKind.INGEST if action.kind is AuditKind.INGEST else AuditKind.READ
            self._counts.count(replace(action, kind=kind, object_id=None, status=None))

    def _write(self, action: Action) -> None:
        before = CURRENT.set(None)
        try:
            with self._store.write() as tx:
                audit.record(tx, action)
        finally:
            CURRENT.reset(before)


class Audit:
    """Middleware that gives each request its entry, and each answer the id of the request."""

    def __init__(self, app: ASGIApp, context: ApiContext) -> None:
        self._app, self._context = app, context

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        entry = RequestAudit(self._context.store, self._context.audit)
        refused = False

        async def send_after_entry(message: Message) -> None:
            nonlocal refused
            if message["type"] == "http.response.start":
                try:
                    await entry.finish(message["status"])
                except DriftdError as error:  # no answer without its entry
                    refused = True
                    await problem_response(error.status, error.code, str(error))(scope, receive, send)
                MutableHeaders(scope=message)[REQUEST_ID] = entry.request_id
            if not refused:
                await send(message)

        before = CURRENT.set(entry)
        CURRENT_LIMIT.set(None)  # until the route knows its sender
        try:
            await self._app(scope, receive, send_after_entry)
        finally:
            CURRENT.reset(before)


def current() -> RequestAudit | None:
    """Return the entry of the current request; None outside a request."""
    found = CURRENT.get()
    return found if isinstance(found, RequestAudit) else None


def begin(request: Request, context: ApiContext, principal: str, kind: AuditKind, *, how: str = "token") -> None:
    """Note the sender of a request, and what it does."""
    address = source_of(request.client.host) if request.client else "unknown"
    context.audit.seen(principal, address, how)
    entry = current()
    if entry is None:
        return
    ingest = kind is AuditKind.INGEST
    path = getattr(request.scope.get("route"), "path", "unknown route")
    entry.action = Action(
        at=context.audit.now(),
        kind=kind,
        operation=f"{request.method} {path}",
        principal=principal,
        deployment=None if ingest else request.query_params.get("deployment"),
        object_id=None if ingest else _object_in(request.path_params) or _object_in(request.query_params),
        status=getattr(request.scope.get("route"), "status_code", None) or HTTPStatus.OK.value,
        address=address,
        request_id=None if ingest else entry.request_id,
    )


def failed_signature(request: Request, context: ApiContext) -> None:
    """Count a callback without a valid signature as a failed login."""
    path = getattr(request.scope.get("route"), "path", "unknown route")
    context.audit.failed(f"{request.method} {path}", source_of(request.client.host) if request.client else "unknown")


def note(item: object = None, *, status: int | None = None, **known: Any) -> None:
    """Add what is known after the work: the object and the deployment of the answer `item`, or fields of Action."""
    entry = current()
    if entry is None or entry.action is None:
        return
    action = entry.action
    fields = {name: value for name in OBJECTS if isinstance(value := getattr(item, name, None), str)}
    deployment = getattr(item, "deployment", None)
    action = replace(
        action,
        object_id=action.object_id or _object_in(fields),
        deployment=action.deployment or (deployment if isinstance(deployment, str) else None),
        status=status or action.status,
    )
    entry.action = replace(action, **known)


def kind_of(method: str, role: Role) -> AuditKind:
    """Return what a route with this role does. A route that writes nothing needs the role `read`."""
    if role is Role.INGEST:
        return AuditKind.READ if method in READS else AuditKind.INGEST
    if role is Role.REVEAL:
        return AuditKind.EXPORT
    return AuditKind.READ if method in READS or role is Role.READ else AuditKind.WRITE


def _object_in(values: Mapping[str, Any]) -> str | None:
    return next((str(values[name]) for name in OBJECTS if values.get(name)), None)
