"""The access log of a private set, its exposure, and the cases to replace."""

from typing import Annotated

from fastapi import APIRouter, Query

from monitor.api.access import needs
from monitor.api.auth import Role
from monitor.api.context import Context
from monitor.api.listing import ListQuery, as_list
from monitor.api.routes.sets.cases import SetName
from monitor.api.schema import AccessItem, CaseExposureItem, ExposureItem, ListPage
from monitor.domain.evalset import AccessEntry
from monitor.health.exposure import exposure_of
from monitor.store.sets import access_log as access
from monitor.store.sets import revisions as evalsets

router = APIRouter(prefix="/api/v1/sets", tags=["sets"])
CaseId = Annotated[str | None, Query(max_length=200, description="Filter by case.")]


@router.get("/access", **needs(Role.READ))
def list_access(context: Context, query: ListQuery, set_name: SetName, case_id: CaseId = None) -> ListPage[AccessItem]:
    """List the access log of a set, newest first: one entry for each run that sent cases and for each reveal to a
    person.
    """
    with context.store.read() as tx:
        evalsets.find(tx, set_name, None)
        return as_list(access.page(tx, set_name, case_id, query), _entry)


@router.get("/exposure", **needs(Role.READ))
def get_exposure(context: Context, set_name: SetName) -> ExposureItem:
    """Return the exposure of each case of the current revision, and the cases to replace in the next rotation."""
    now = context.clock.now()
    policy = context.policy.sets.get(set_name)
    with context.store.read() as tx:
        revision = evalsets.find(tx, set_name, None)
        cases = access.exposures(tx, set_name, revision.revision, now)
        providers = access.providers(tx, set_name)
    found = exposure_of(cases, policy.exposure_budget if policy else None, access.RECENT.days)
    return ExposureItem(
        set_name=set_name,
        revision=revision.revision,
        budget=found.budget,
        max_exposure=found.max_exposure,
        median=found.median,
        revealed_cases=found.revealed_cases,
        over_budget=list(found.over_budget),
        to_replace=list(found.to_replace),
        days_left=found.days_left,
        providers=dict(providers),
        cases=[CaseExposureItem.model_validate(case, from_attributes=True) for case in cases],
    )


def _entry(row: AccessEntry) -> AccessItem:
    return AccessItem.model_validate(row, from_attributes=True)
