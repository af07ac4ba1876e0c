"""What is watched, and how it stands."""

from fastapi import APIRouter

from monitor.api import encode, encode_candidate
from monitor.api.access import needs
from monitor.api.auth import Role
from monitor.api.context import Context
from monitor.api.listing import PlaceQuery, as_list, slice_at
from monitor.api.schema import DeploymentItem, ListPage
from monitor.domain.policy import DeploymentPolicy
from monitor.domain.review import CandidateCounts
from monitor.store import alerts, candidates, interactions, versions
from monitor.store.database import Tx

router = APIRouter(prefix="/api/v1/deployments", tags=["deployments"])
NO_CANDIDATES = CandidateCounts()


@router.get("", **needs(Role.READ))
def list_deployments(context: Context, place: PlaceQuery) -> ListPage[DeploymentItem]:
    """Every configured deployment, by name."""
    policies = [context.policy.deployments[name] for name in sorted(context.policy.deployments)]
    with context.store.read() as tx:
        proposed = candidates.counts(tx)
        return as_list(
            slice_at(policies, place), lambda policy: _standing(tx, policy, proposed.get(policy.name, NO_CANDIDATES))
        )


def _standing(tx: Tx, policy: DeploymentPolicy, proposed: CandidateCounts) -> DeploymentItem:
    current = versions.current_version(tx, policy.name)
    version = versions.get(tx, policy.name, current) if current else None
    return DeploymentItem(
        name=policy.name,
        target=policy.target,
        sets=list(policy.sets),
        current_version=encode.version(version, current=current) if version else None,
        interactions=interactions.count(tx, policy.name),
        open_alerts=len(alerts.open_all(tx, policy.name)),
        candidates=encode_candidate.counts(proposed),
    )
