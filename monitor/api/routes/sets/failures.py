"""The failure categories of a set, run by run."""

from typing import Annotated

from fastapi import APIRouter, Query

from monitor.api import encode
from monitor.api.access import needs
from monitor.api.auth import Role
from monitor.api.context import Context
from monitor.api.listing import Instant
from monitor.api.lookup import MetricName, labels_of, sets_of
from monitor.api.routes.sets.cases import SetName
from monitor.api.schema.failures import FailedCasesItem, RunFailuresItem, SetFailuresItem
from monitor.domain.failure_share import RunFailures
from monitor.errors import unknown
from monitor.store.runs import failure_shares

router = APIRouter(prefix="/api/v1/sets", tags=["sets"])
Deployment = Annotated[str, Query(min_length=1, max_length=200)]
Runs = Annotated[int, Query(ge=1, le=400, description="The newest finished runs that are returned.")]


@router.get("/failures", **needs(Role.READ))
def list_failures(
    *,
    context: Context,
    deployment: Deployment,
    set_name: SetName,
    metric: MetricName = None,
    since: Instant = None,
    runs: Runs = 100,
) -> SetFailuresItem:
    """Return the scored cases of each run of a set by severity and failure category, of the deciding verdict or of one
    metric. Runs are the oldest first.
    """
    with context.store.read() as tx:
        sets = sets_of(tx, context.policy, deployment)
        if set_name not in sets:
            raise unknown(f"deployment {deployment!r}: set", set_name, sets)
        found = failure_shares.of_set(tx, deployment, set_name, runs=runs, since=since, metric=metric)
        labels = labels_of(tx, [deployment])
    items = [_item(run, encode.label(labels, deployment, run.version)) for run in found]
    return SetFailuresItem(deployment=deployment, set_name=set_name, metric=metric, runs=items)


def _item(run: RunFailures, label: str | None) -> RunFailuresItem:
    return RunFailuresItem(
        run_id=run.run_id,
        at=run.at,
        version=run.version,
        version_label=label,
        counts=[FailedCasesItem.model_validate(count, from_attributes=True) for count in run.counts],
    )
