"""Replay runs: list, start, resume and cancel."""

from fastapi import APIRouter
from fastapi.responses import Response

from monitor.api import encode_card
from monitor.api.access import Sender, needs
from monitor.api.auth import Role
from monitor.api.body import Write, model_body
from monitor.api.clusters import clustered_card
from monitor.api.context import Context
from monitor.api.idempotency import write_once
from monitor.api.listing import ListQuery
from monitor.api.lookup import Identifier, run_of
from monitor.api.manual_runs import plan_manual, run_items
from monitor.api.schema import CancelRun, ListPage, ResumeRun, RunCard, RunItem, StartRun
from monitor.domain.policy import Policy, SetPolicy, refusal
from monitor.domain.run import RunState
from monitor.errors import Conflict, unknown
from monitor.store.engine.database import Tx
from monitor.store.runs import metric_nights, run_card, runs

router = APIRouter(prefix="/api/v1/runs", tags=["runs"])


@router.get("", **needs(Role.READ))
def list_runs(context: Context, query: ListQuery) -> ListPage[RunItem]:
    with context.store.read() as tx:
        page = runs.page(tx, query)
        return ListPage(items=run_items(tx, page.items), next_cursor=page.next_cursor)


@router.get("/{id}", **needs(Role.READ))
def get_run(context: Context, id: Identifier) -> RunItem:  # noqa: A002 - the path uses id
    with context.store.read() as tx:
        return run_items(tx, [run_of(tx, id)])[0]


@router.get("/{id}/card", **needs(Role.READ))
def get_run_card(context: Context, id: Identifier) -> RunCard:  # noqa: A002 - the path uses id
    """Return the run with its scores by category and severity and by metric, and its findings."""
    with context.store.read() as tx:
        run = run_of(tx, id)
        strata, failures = run_card.strata(tx, id)
        card = encode_card.card(
            run_items(tx, [run])[0],
            strata=strata,
            failures=failures,
            samples=run_card.case_samples(tx, id),
            findings=run_card.findings(tx, id),
            metrics=metric_nights.of_run(tx, run),
        )
        card = clustered_card(tx, card, run)
    settings = context.policy.sets.get(run.set_name)
    return card if settings is None else card.model_copy(update={"measures": settings.measures})


@router.post("", status_code=201, response_model=RunItem, **needs(Role.OPERATE, **model_body(StartRun)))
def start_run(context: Context, write: Write) -> Response:
    """Schedule a replay of the current revision of a set against a deployment. The runner starts it immediately."""
    order = write.parse(StartRun)
    policy = _known_pair(context.policy, order)

    def work(tx: Tx) -> tuple[int, RunItem]:
        run = plan_manual(tx, order.deployment, policy, context.clock.now())
        runs.insert(tx, run)
        return 201, run_items(tx, [run])[0]

    return write_once(context, write, work)


@router.post("/{id}/resume", response_model=RunItem, **needs(Role.OPERATE, **model_body(ResumeRun)))
def resume_run(context: Context, write: Write, id: Identifier) -> Response:  # noqa: A002 - the path uses id
    """Retry a run immediately that waits for its target. Stored outcomes are kept."""
    write.parse(ResumeRun)

    def work(tx: Tx) -> tuple[int, RunItem]:
        run = run_of(tx, id)
        if run.state not in (RunState.PLANNED, RunState.RUNNING):
            raise Conflict(f"run {id!r} is {run.state.value}; start a new one with POST /api/v1/runs")
        runs.resume(tx, id)
        return 200, run_items(tx, [run_of(tx, id)])[0]

    return write_once(context, write, work)


@router.post("/{id}/cancel", response_model=RunItem, **needs(Role.OPERATE, **model_body(CancelRun)))
def cancel_run(context: Context, write: Write, sender: Sender, id: Identifier) -> Response:  # noqa: A002 - the path uses id
    """Cancel a planned, running or waiting run. Calls in flight end within seconds, outcomes are kept, and the run gets
    no verdict. A repeated cancel changes nothing.
    """
    reason = write.parse(CancelRun).reason

    def work(tx: Tx) -> tuple[int, RunItem]:
        run = run_of(tx, id)
        if run.state in (RunState.PLANNED, RunState.RUNNING):
            why = f"cancelled by {sender.name}" + (f": {reason}" if reason else "")
            runs.cancel(tx, id, context.clock.now(), why)
        elif run.state is not RunState.CANCELLED:
            raise Conflict(f"run {id!r} is already {run.state.value}; only an unfinished run can be cancelled")
        return 200, run_items(tx, [run_of(tx, id)])[0]

    response = write_once(context, write, work)
    context.cancel_replay(id)
    return response


def _known_pair(policy: Policy, order: StartRun) -> SetPolicy:
    deployment = policy.deployments.get(order.deployment)
    if deployment is None:
        raise unknown("deployment", order.deployment, policy.deployments)
    if order.set_name not in deployment.sets:
        raise unknown(f"deployment {order.deployment!r}: eval set", order.set_name, deployment.sets)
    refused = refusal(deployment, policy.sets[order.set_name])
    if refused is not None:
        raise Conflict(refused)
    return policy.sets[order.set_name]
