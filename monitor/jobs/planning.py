"""Writes a planned run: what the schedule, a change and a person have in common."""

import secrets
from datetime import datetime

from monitor.domain.ids import new_id
from monitor.domain.policy import SetPolicy
from monitor.domain.run import Run, RunState, Trigger
from monitor.store import evalsets, runs
from monitor.store.database import Tx


def plan_run(
    tx: Tx,
    *,
    deployment: str,
    eval_set: SetPolicy,
    trigger: Trigger,
    planned_at: datetime,
    now: datetime,
    change_id: str | None = None,
) -> Run | None:
    """Plan a replay of the set's current revision; None when the set has no content yet."""
    revision = evalsets.current(tx, eval_set.name)
    if revision is None or revision.cases == 0:
        return None
    run = Run(
        id=new_id("run", now),
        deployment=deployment,
        set_name=eval_set.name,
        set_kind=eval_set.kind,
        revision=revision.revision,
        trigger=trigger,
        planned_at=planned_at,
        state=RunState.PLANNED,
        trace_prefix=secrets.token_hex(8),
        samples=eval_set.samples,
        cases=revision.cases,
        change_id=change_id,
    )
    runs.insert(tx, run)
    return run
