"""The status of the daemon."""

from dataclasses import asdict
from datetime import datetime, timedelta

from fastapi import APIRouter

from monitor.api.access import needs
from monitor.api.auth import Role
from monitor.api.context import ApiContext, Context
from monitor.api.encode_daemon import daemon, disk_of
from monitor.api.schema import ArrivalsItem, StatusItem
from monitor.domain.future_instant import TOLERANCE
from monitor.domain.policy import Policy
from monitor.domain.replay_health import is_about_replays
from monitor.schedules.unattended import stopped_schedules
from monitor.store.engine import losses
from monitor.store.engine.database import Tx
from monitor.store.findings import alerts
from monitor.store.runs import pauses, runs
from monitor.store.traffic import arrivals, dead_letters, interactions

router = APIRouter(prefix="/api/v1/status", tags=["status"])
RECENT = timedelta(days=1)


@router.get("", **needs(Role.READ))
def get_status(context: Context) -> StatusItem:
    with context.store.read() as tx:
        letters = dead_letters.count(tx)
        arrived = arrivals.arrivals(tx, context.policy.deployments, context.clock.now())
        warnings = _paused(context) + _audit(context) + _warnings(tx, context.policy, context.clock.now())
        unmonitored = interactions.unmonitored(tx, list(context.policy.deployments), context.clock.now() - RECENT)
    unread = context.unread.of_last_day() if context.unread is not None else None
    return StatusItem(
        now=context.clock.now(),
        code_version=context.code_version,
        store_kind=context.store.kind,
        store_bytes=context.store.bytes_stored(),
        disk=disk_of(context),
        intake_rows=context.intake.rows,
        intake_capacity=context.intake.capacity,
        dead_letters=letters,
        arrivals=[ArrivalsItem(**asdict(one)) for one in arrived],
        unmonitored=unmonitored,
        unread=unread.by_name if unread else {},
        unread_since=unread.since if unread else None,
        warnings=warnings,
        loops=dict(context.loop_states()),
        daemon=daemon(context),
    )


def _paused(context: ApiContext) -> list[str]:
    refusal = context.store.disk.refusal()
    return [] if refusal is None else [f"paused: {refusal}"]


def _audit(context: ApiContext) -> list[str]:
    found = context.audit_chain and context.audit_chain.last
    return [f"audit log: {found.broken.reason}; see `driftd db audit`"] if found and found.broken else []


def _warnings(tx: Tx, policy: Policy, now: datetime) -> list[str]:
    missing = [f"database: {loss.sentence}" for loss in losses.unacknowledged(tx)]
    replays = [alert.summary for alert in alerts.open_all(tx) if is_about_replays(alert.source)]
    ahead = [str(one) for one in runs.future_instants(tx, now + TOLERANCE)]
    stopped = stopped_schedules(policy.schedules, pauses.of_schedules(tx), now)
    return missing + replays + ahead + stopped + [_undelivered(one) for one in alerts.undelivered(tx) if one.attempts]


def _undelivered(one: alerts.Undelivered) -> str:
    what = "1 notification is" if one.count == 1 else f"{one.count} notifications are"
    why = one.error or "no response"
    return f"receiver {one.receiver}: {what} not delivered, the oldest from {one.since:%Y-%m-%d %H:%M} UTC: {why}"
