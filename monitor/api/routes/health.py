"""Liveness, readiness and metrics."""

from collections.abc import Sequence

from fastapi import APIRouter
from fastapi.responses import Response

from monitor.api.access import needs, open_to_all
from monitor.api.auth import Role
from monitor.api.context import Context
from monitor.api.schema import HealthItem
from monitor.domain.replay_health import is_about_replays
from monitor.errors import Retryable
from monitor.store.access.audit_state import AuditChain
from monitor.store.engine import losses
from monitor.store.findings import alerts

router = APIRouter(tags=["health"])
EXPOSITION = "text/plain; version=0.0.4; charset=utf-8"


class NotReady(Retryable):
    code = "not_ready"
    retry_after_s = 5.0


@router.get("/healthz", **open_to_all(), response_model_exclude_defaults=True)
async def healthz(context: Context) -> HealthItem:
    """Answer 200 while the process responds."""
    return _health(context)


@router.get("/readyz", **open_to_all(), response_model_exclude_defaults=True)
def readyz(context: Context) -> HealthItem:
    """Answer 200 when the store answers a query and every loop runs; otherwise 503 with the reason. Stopped sources,
    a disk without space for new records, failed or missed replays, lost rows and a broken audit log do not make the
    daemon unready, because its reads work: they are named in the response.
    """
    why_not = context.ready()
    if why_not is not None:
        raise NotReady(why_not)
    with context.store.read() as tx:
        open_alerts = alerts.open_all(tx)  # a small table; the query also tests the store
        database = ["database"] if losses.unacknowledged(tx) else []
    replays = {alert.source for alert in open_alerts if alert.source and is_about_replays(alert.source)}
    audit = ["audit log"] if context.audit_chain and _is_broken(context.audit_chain) else []
    return _health(context, [*database, *audit, *sorted(replays)])


def _is_broken(chain: AuditChain) -> bool:
    return chain.last is not None and chain.last.broken is not None


def _health(context: Context, stored: Sequence[str] = ()) -> HealthItem:
    disk = ("disk",) if context.store.disk.reached else ()
    degraded_components = (*context.troubles(), *disk, *stored)
    return HealthItem(status="degraded" if degraded_components else "ok", degraded_components=degraded_components)


@router.get("/metrics", response_class=Response, **needs(Role.READ))
def metrics(context: Context) -> Response:
    """Return all metrics of the daemon in the Prometheus text format."""
    return Response(context.metrics(), media_type=EXPOSITION)
