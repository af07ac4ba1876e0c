"""What an orchestrator asks: is the process alive, may it get work, what has it counted."""

from collections.abc import Sequence

from fastapi import APIRouter
from fastapi.responses import Response

from monitor.api.access import needs, open_to_all
from monitor.api.auth import Role
from monitor.api.context import Context
from monitor.api.schema import HealthItem
from monitor.domain.replay_health import is_about_replays
from monitor.errors import Retryable
from monitor.store.engine import losses
from monitor.store.findings import alerts

router = APIRouter(tags=["health"])
EXPOSITION = "text/plain; version=0.0.4; charset=utf-8"


class NotReady(Retryable):
    code = "not_ready"
    retry_after_s = 5.0


@router.get("/healthz", **open_to_all(), response_model_exclude_defaults=True)
async def healthz(context: Context) -> HealthItem:
    """200 while the process answers at all."""
    return _health(context)


@router.get("/readyz", **open_to_all(), response_model_exclude_defaults=True)
def readyz(context: Context) -> HealthItem:
    """200 when the store answers a query and every loop runs; 503 says what is missing. A source that stopped,
    replays that fail or do not happen and rows that are missing are no reason to send senders away: they are named.
    """
    why_not = context.ready()
    if why_not is not None:
        raise NotReady(why_not)
    with context.store.read() as tx:
        open_alerts = alerts.open_all(tx)  # a small table: this also asks whether the store answers
        database = ["database"] if losses.unacknowledged(tx) else []
    replays = [alert.source for alert in open_alerts if alert.source and is_about_replays(alert.source)]
    return _health(context, [*database, *replays])


def _health(context: Context, stored: Sequence[str] = ()) -> HealthItem:
    degraded_components = (*context.troubles(), *stored)
    return HealthItem(status="degraded" if degraded_components else "ok", degraded_components=degraded_components)


@router.get("/metrics", response_class=Response, **needs(Role.READ))
def metrics(context: Context) -> Response:
    """Everything the daemon counts about itself, in Prometheus' text format."""
    return Response(context.metrics(), media_type=EXPOSITION)
