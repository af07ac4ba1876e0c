"""The counts of production traffic by UTC day and version."""

from collections import Counter
from collections.abc import Mapping
from datetime import timedelta
from typing import Annotated

from fastapi import APIRouter, Query

from monitor.api.access import needs
from monitor.api.auth import Role
from monitor.api.context import Context
from monitor.api.schema import ProductionDays, VersionDayItem, VersionLatencyItem
from monitor.errors import unknown
from monitor.stats.latency_bins import quantile
from monitor.store.aggregates import day_rollups
from monitor.store.aggregates.day_rollups import VersionDay
from monitor.store.traffic import versions

router = APIRouter(prefix="/api/v1/production", tags=["production"])
Name = Annotated[str, Query(min_length=1, max_length=200)]
Days = Annotated[int, Query(ge=1, le=800, description="The number of UTC days, with today.")]
Labels = Mapping[str, str]


@router.get("/days", **needs(Role.READ))
def list_days(context: Context, deployment: Name, days: Days = 60) -> ProductionDays:
    """Return calls, failures, refusals, corrections, latency, tokens and cost of each day by version.

    Past days are stored once and counted again when late rows arrive. Today is counted from its calls.
    """
    policy = context.policy.deployments.get(deployment)
    if policy is None:
        raise unknown("deployment", deployment, context.policy.deployments)
    until = context.clock.now().date() + timedelta(days=1)
    since, late_days = until - timedelta(days=days), policy.production.late_days
    with context.store.read() as tx:
        found = day_rollups.version_days(tx, deployment, since, until, late_days)
        bins = day_rollups.latency_bins(tx, deployment, since, until)
        labels = {version.id: version.label for version in versions.versions(tx, deployment)}
    return ProductionDays(
        deployment=deployment,
        since=since,
        until=until,
        late_days=late_days,
        items=[_day(one, labels) for one in found],
        latencies=[_latency(version, bins[version], labels) for version in sorted(bins, key=lambda one: one or "")],
    )


def _day(one: VersionDay, labels: Labels) -> VersionDayItem:
    known = one.classified == one.calls
    return VersionDayItem(
        day=one.day,
        version=one.version,
        label=labels.get(one.version or ""),
        calls=one.calls,
        failed=one.failed,
        answered=one.calls - one.failed,
        worded=one.worded if known else None,
        refused=one.refused if known else None,
        corrected=one.corrected,
        timed=one.timed,
        latency_ms=one.latency_ms,
        latency_p95_ms=one.latency_p95_ms,
        counted=one.counted,
        input_tokens=one.input_tokens,
        output_tokens=one.output_tokens,
        spent=one.spent,
        spent_usd=one.spent_usd,
    )


def _latency(version: str | None, bins: Counter[int], labels: Labels) -> VersionLatencyItem:
    return VersionLatencyItem(
        version=version,
        label=labels.get(version or ""),
        timed=bins.total(),
        p50_ms=quantile(bins, 0.5),
        p95_ms=quantile(bins, 0.95),
        p99_ms=quantile(bins, 0.99),
    )
