"""The monitored deployments and their state."""

from datetime import UTC, datetime

from fastapi import APIRouter

from monitor.api import encode, encode_candidate
from monitor.api.access import needs
from monitor.api.auth import Role
from monitor.api.context import Context
from monitor.api.listing import Name, PageStartQuery, as_list, slice_at
from monitor.api.lookup import deployments_of, sets_of
from monitor.api.schema import DeploymentItem, ListPage, TodayItem, VersionItem
from monitor.changes.serving import serving
from monitor.domain.policy import Policy
from monitor.domain.review import CandidateCounts
from monitor.errors import unknown
from monitor.store.aggregates import traffic_counts
from monitor.store.engine.database import Tx
from monitor.store.findings import alerts
from monitor.store.sets import candidates
from monitor.store.traffic import current_traffic as traffic_now
from monitor.store.traffic import versions

router = APIRouter(prefix="/api/v1/deployments", tags=["deployments"])
NO_CANDIDATES = CandidateCounts()


@router.get("", **needs(Role.READ))
def list_deployments(context: Context, page_start: PageStartQuery, deployment: Name = None) -> ListPage[DeploymentItem]:
    """List the configured deployments, and those with imported runs, by name. Each item counts the calls of today."""
    with context.store.read() as tx:
        names = deployments_of(tx, context.policy)
        if deployment is not None and deployment not in names:
            raise unknown("deployment", deployment, names)
        page = slice_at(names if deployment is None else [deployment], page_start)
        proposed, calls = candidates.counts(tx), traffic_counts.totals(tx, page.items)
        return as_list(
            page,
            lambda name: _standing(
                tx, name, context.policy, proposed.get(name, NO_CANDIDATES), calls[name], context.clock.now()
            ),
        )


def _standing(  # noqa: PLR0917 - a deployment and what all deployments share
    tx: Tx, deployment: str, policy: Policy, proposed: CandidateCounts, calls: int, now: datetime
) -> DeploymentItem:
    configured = policy.deployments.get(deployment)
    known = {row.id: row for row in versions.versions(tx, deployment)}
    newest = versions.newest_change(tx, deployment)
    found = serving(
        versions.current_version(tx, deployment),
        newest,
        traffic_now.served_since(tx, deployment, newest.at) if newest else [],
        {name: row.label for name, row in known.items()},
    )

    def item(version: str | None) -> VersionItem | None:
        row = known.get(version or "")
        return encode.version(row, current=found.current) if row else None

    midnight = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return DeploymentItem(
        name=deployment,
        target=None if configured is None else configured.target,
        sets=list(sets_of(tx, policy, deployment)),
        current_version=item(found.current),
        announced_version=item(found.announced),
        observed_version=item(found.observed),
        contradiction=found.contradiction,
        today=TodayItem.model_validate(traffic_now.today(tx, deployment, midnight), from_attributes=True),
        interactions=calls,
        open_alerts=len(alerts.open_all(tx, deployment)),
        candidates=encode_candidate.counts(proposed),
    )
