"""Schedules: list, preview, pause, resume, and run now."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response

from monitor.api import encode_schedule
from monitor.api.access import Sender, needs
from monitor.api.auth import Role
from monitor.api.body import Write, model_body
from monitor.api.context import ApiContext, Context
from monitor.api.idempotency import write_once
from monitor.api.lookup import Identifier
from monitor.api.manual_runs import plan_manual, run_items
from monitor.api.problems import Unprocessable
from monitor.api.schedule_forecast import set_forecasts
from monitor.api.schema import (
    ListPage,
    PauseSchedule,
    PreviewItem,
    ResumeSchedule,
    RunSchedule,
    ScheduleItem,
    ScheduleRunsItem,
    SkippedRunItem,
)
from monitor.domain.calendar.pauses import Pause
from monitor.domain.policy import SchedulePolicy, refusal
from monitor.domain.run import Run, new_id
from monitor.errors import Conflict, unknown
from monitor.schedules.occasions import occasions
from monitor.store.engine.database import Tx
from monitor.store.runs import pauses, runs

router = APIRouter(prefix="/api/v1/schedules", tags=["runs"])
MOST_OCCASIONS = 10_000
Days = Annotated[int, Query(ge=1, le=31, description="Length of the preview in days.")]
OneSchedule = Annotated[str | None, Query(max_length=200, description="Name of a schedule. Default: all.")]


@router.get("", **needs(Role.READ))
def list_schedules(context: Context) -> ListPage[ScheduleItem]:
    """List the configured schedules with their pauses and the next time of each deployment."""
    now = context.clock.now()
    with context.store.read() as tx:
        stored = pauses.of_schedules(tx)
    found = context.policy.schedules.values()
    items = [encode_schedule.schedule(one, stored.get(one.name, ()), now) for one in found]
    return ListPage(items=items, next_cursor=None)


@router.get("/preview", **needs(Role.READ))
def preview_schedules(context: Context, days: Days = 7, schedule: OneSchedule = None) -> PreviewItem:
    """Return what the schedules would run in the next days, with the forecast of calls, tokens and cost. Blackouts and
    pauses are shown. Budgets, which may end a run earlier, are not part of the forecast.
    """
    names = list(context.policy.schedules) if schedule is None else [_known(context, schedule).name]
    since = context.clock.now()
    until = since + timedelta(days=days)
    with context.store.read() as tx:
        stored = pauses.of_schedules(tx)
        deployments = {each for name in names for each in context.policy.schedules[name].deployments}
        forecasts = {
            each.name: set_forecasts(context, tx, each)
            for each in context.policy.deployments.values()
            if each.name in deployments
        }
    found = [
        encode_schedule.occasion(policy, deployment, one, forecasts[deployment])
        for policy in (context.policy.schedules[name] for name in names)
        for deployment in policy.deployments
        for one in occasions(policy, since, until, deployment=deployment, pauses=stored.get(policy.name, ()))
    ]
    if len(found) > MOST_OCCASIONS:
        raise Unprocessable(
            f"query.days: {days} days have {len(found)} planned times, more than {MOST_OCCASIONS}; "
            "ask for fewer days or for one schedule"
        )
    found.sort(key=lambda one: (one.at, one.schedule, one.deployment, one.nominal_at))
    return encode_schedule.preview(since, until, found, forecasts)


@router.post("/{id}/pause", response_model=ScheduleItem, **needs(Role.OPERATE, **model_body(PauseSchedule)))
def pause_schedule(context: Context, write: Write, sender: Sender, id: Identifier) -> Response:  # noqa: A002 - the path uses id
    """Pause a schedule now. Times inside the pause are not caught up. A pause replaces the one in effect."""
    order, policy, now = write.parse(PauseSchedule), _known(context, id), context.clock.now()
    if order.until is not None and order.until <= now:
        raise Unprocessable("until: the end of the pause is in the past; give a later time, or none")
    pause = Pause(
        id=new_id("pause", now),
        schedule=policy.name,
        paused_at=now,
        paused_by=sender.name,
        ends_at=None if order.until is None else order.until.astimezone(UTC),
        reason=order.reason,
    )

    def work(tx: Tx) -> tuple[int, ScheduleItem]:
        pauses.insert(tx, pause)
        return 200, _item(tx, policy, now)

    return write_once(context, write, work)


@router.post("/{id}/resume", response_model=ScheduleItem, **needs(Role.OPERATE, **model_body(ResumeSchedule)))
def resume_schedule(context: Context, write: Write, sender: Sender, id: Identifier) -> Response:  # noqa: A002 - the path uses id
    """End the pause of a schedule. The next planned time runs."""
    write.parse(ResumeSchedule)
    policy, now = _known(context, id), context.clock.now()

    def work(tx: Tx) -> tuple[int, ScheduleItem]:
        if not pauses.resume(tx, policy.name, now, sender.name):
            raise Conflict(f"schedule {policy.name!r} is not paused; GET /api/v1/schedules lists pauses")
        return 200, _item(tx, policy, now)

    return write_once(context, write, work)


@router.post(
    "/{id}/run", status_code=201, response_model=ScheduleRunsItem, **needs(Role.OPERATE, **model_body(RunSchedule))
)
def run_schedule(context: Context, write: Write, id: Identifier) -> Response:  # noqa: A002 - the path uses id
    """Start a run of every set of the deployments of a schedule now, also during a pause or a blackout. A set that
    cannot run is skipped with its reason; 409 when no set can run. The plan of the schedule does not change.
    """
    write.parse(RunSchedule)
    policy, now = _known(context, id), context.clock.now()

    def work(tx: Tx) -> tuple[int, ScheduleRunsItem]:
        started: list[Run] = []
        skipped: list[SkippedRunItem] = []
        for deployment, set_name in _pairs(context, policy):
            planned = _start(context, tx, deployment, set_name, now)
            if isinstance(planned, Run):
                started.append(planned)
            else:
                skipped.append(planned)
        if not started:
            reasons = "; ".join(f"{one.set_name} on {one.deployment}: {one.reason}" for one in skipped)
            raise Conflict(f"schedule {policy.name!r} has nothing to run: {reasons or 'no deployment has a set'}")
        return 201, ScheduleRunsItem(schedule=policy.name, runs=run_items(tx, started), skipped=skipped)

    return write_once(context, write, work)


def _pairs(context: ApiContext, policy: SchedulePolicy) -> Iterator[tuple[str, str]]:
    for deployment in policy.deployments:
        for set_name in context.policy.deployments[deployment].sets:
            yield deployment, set_name


def _start(context: ApiContext, tx: Tx, deployment: str, set_name: str, now: datetime) -> Run | SkippedRunItem:
    eval_set = context.policy.sets[set_name]
    try:
        refused = refusal(context.policy.deployments[deployment], eval_set)
        if refused is not None:
            raise Conflict(refused)
        run = plan_manual(tx, deployment, eval_set, now)
    except Conflict as error:
        return SkippedRunItem(deployment=deployment, set_name=set_name, reason=str(error))
    runs.insert(tx, run)
    return run


def _known(context: ApiContext, name: str) -> SchedulePolicy:
    found = context.policy.schedules.get(name)
    if found is None:
        raise unknown("schedule", name, context.policy.schedules)
    return found


def _item(tx: Tx, policy: SchedulePolicy, now: datetime) -> ScheduleItem:
    return encode_schedule.schedule(policy, pauses.of_schedules(tx).get(policy.name, ()), now)
