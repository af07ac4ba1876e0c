"""Cases over runs: which fail, flip or never vary, and the history of one case. No text is returned."""

from typing import Annotated

from fastapi import APIRouter, Query

from monitor.api import encode_case
from monitor.api.access import needs
from monitor.api.auth import Role
from monitor.api.case_filters import CaseFilter, count_states, in_state, ordered
from monitor.api.case_trends import Trends, trends_of
from monitor.api.context import ApiContext, Context
from monitor.api.listing import Name, PageStartQuery, slice_at
from monitor.api.lookup import labels_of
from monitor.api.routes.sets.cases import SetName
from monitor.api.schema import case_histories as wire
from monitor.domain.case_history import CaseOrder, CaseState
from monitor.errors import NotFound
from monitor.store.engine.database import Tx
from monitor.store.runs import case_history

router = APIRouter(prefix="/api/v1/cases", tags=["cases"])
CaseId = Annotated[str, Query(min_length=1, max_length=1000)]
Text = Annotated[
    str | None, Query(max_length=200, description="A part of the id, category, failure category or cluster.")
]
Named = Annotated[str | None, Query(max_length=1000)]
Until = Annotated[str | None, Query(max_length=200, description="The newest run that counts; the default is the last.")]
Runs = Annotated[int, Query(ge=1, le=200, description="The newest complete runs that count.")]


@router.get("/trends", **needs(Role.READ))
def list_trends(
    *,
    context: Context,
    page_start: PageStartQuery,
    set_name: SetName,
    deployment: Name = None,
    run_id: Until = None,
    runs: Runs = 60,
    text: Text = None,
    category: Named = None,
    severity: Named = None,
    part: Named = None,
    failure_category: Named = None,
    state: CaseState | None = None,
    order: CaseOrder = CaseOrder.SEVERITY,
) -> wire.CaseTrendsItem:
    """List the cases of a set with their difficulty, flakiness and newest verdict over its newest runs.

    The cases are those of the current revision, or of the revision of `run_id`. Without a deployment, it is the one
    that replayed the set last.
    """
    with context.store.read() as tx:
        found = trends_of(tx, set_name, deployment=deployment, until_run=run_id, most=runs)
    wanted = CaseFilter(text=text, category=category, severity=severity, part=part, failure_category=failure_category)
    matching = [item for item in found.items if wanted.matches(item)]
    chosen = ordered(in_state(matching, state), order)
    page = slice_at(chosen, page_start)
    newest = found.runs[-1] if found.runs else None
    return wire.CaseTrendsItem(
        set_name=set_name,
        revision=found.revision.revision,
        deployment=newest.deployment if newest else deployment,
        run_id=newest.run_id if newest else None,
        at=newest.at if newest else None,
        runs=len(found.runs),
        total=len(chosen),
        states=count_states(matching),
        categories=sorted({item.category for item in found.items}),
        severities=sorted({item.severity for item in found.items}),
        parts=sorted({item.part for item in found.items if item.part is not None}),
        failure_categories=sorted({item.failure_category for item in found.items if item.failure_category is not None}),
        items=page.items,
        next_cursor=page.next_cursor,
    )


@router.get("/history", **needs(Role.READ))
def get_history(
    context: Context, set_name: SetName, case_id: CaseId, deployment: Name = None, runs: Runs = 60
) -> wire.CaseHistoryItem:
    """Return one case of the current revision over the newest runs of its set: every answer's verdict, the pass rate of
    each version, its revisions, its origin, its exposure and its variants.
    """
    with context.store.read() as tx:
        found = trends_of(tx, set_name, deployment=deployment, until_run=None, most=runs)
        return _history(context, tx, found, case_id)


def _history(context: ApiContext, tx: Tx, found: Trends, case_id: str) -> wire.CaseHistoryItem:
    case = next((row for row in found.cases if row.case_id == case_id), None)
    if case is None:
        raise NotFound(
            f"eval set {found.revision.name!r}: case {case_id!r} is not part of the current revision; "
            "GET /api/v1/cases/trends lists its cases"
        )
    answers = case_history.answers_of_case(tx, found.runs, case_id, case.content_mac)
    deployments = {run.deployment for run in found.runs}
    runs = encode_case.runs(found.runs, answers, labels_of(tx, deployments))
    versions = encode_case.versions(runs)
    return wire.CaseHistoryItem(
        set_name=found.revision.name,
        revision=found.revision.revision,
        sealed=found.revision.sealed,
        deployment=found.runs[-1].deployment if found.runs else None,
        trend=next(item for item in found.items if item.case_id == case_id),
        failed_versions=sum(2 * row.failed >= row.nights for row in versions),
        runs=runs,
        versions=versions,
        revisions=encode_case.revisions(case_history.revisions_of_case(tx, found.revision.name, case_id)),
        origin=encode_case.origin(case_history.candidate_of_case(tx, case_id)),
        exposure=_exposure(context, tx, found, case.content_mac) if found.revision.sealed else None,
        variants=[
            item
            for item in found.items
            if case.cluster is not None and item.cluster == case.cluster and item.case_id != case_id
        ],
    )


def _exposure(context: ApiContext, tx: Tx, found: Trends, content_mac: str) -> wire.CaseExposureCountItem:
    name = found.revision.name
    counted = case_history.exposure_of_case(tx, name, content_mac, context.clock.now())
    policy = context.policy.sets.get(name)
    return wire.CaseExposureCountItem(
        calls=counted.calls,
        reveals=counted.reveals,
        providers=counted.providers,
        people=counted.people,
        recent_calls=counted.recent_calls,
        last_at=counted.last_at,
        budget=policy.exposure_budget if policy else None,
    )
