"""Stores a planned run: the common part of the schedule, changes and requests by a person."""

import secrets
from datetime import datetime

from monitor.domain.policy import SetPolicy
from monitor.domain.run import Run, RunState, Trigger, new_id
from monitor.store.engine.database import Tx
from monitor.store.runs import runs
from monitor.store.sets import revisions as evalsets
from replay.run.repeats import repeat_count


def plan_run(
    tx: Tx,
    *,
    deployment: str,
    eval_set: SetPolicy,
    trigger: Trigger,
    planned_at: datetime,
    now: datetime,
    change_id: str | None = None,
    repeat_share: float = 0.0,
) -> Run | None:
    """Plan a replay of the current revision of a set. Return None when the set has no content yet.

    `repeat_share` of the cases get one more sample.
    """
    revision = evalsets.current(tx, eval_set.name)
    if revision is None or revision.cases == 0:
        return None
    repeats = repeat_count(revision.cases, repeat_share)
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
        repeats=repeats,
        repeat_offset=runs.next_repeat_offset(tx, deployment, eval_set.name) if repeats else 0,
    )
    runs.insert(tx, run)
    return run
