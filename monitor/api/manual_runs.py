"""Runs that a person starts: their plan, and their items on the wire."""

import secrets
from collections.abc import Sequence
from datetime import datetime

from monitor.api import encode
from monitor.api.lookup import labels_of
from monitor.api.schema import RunItem
from monitor.domain.evalset import Revision, SetKind
from monitor.domain.policy import SetPolicy
from monitor.domain.review import CandidateCounts
from monitor.domain.run import Run, RunState, Trigger, new_id
from monitor.errors import Conflict
from monitor.store.engine.database import Tx
from monitor.store.findings import findings
from monitor.store.runs import outcomes, runs, spending
from monitor.store.sets import candidates
from monitor.store.sets import revisions as evalsets


def plan_manual(tx: Tx, deployment: str, policy: SetPolicy, now: datetime) -> Run:
    """Return a run of the current revision, which is not stored yet. Raises Conflict when the set has no cases or a run
    of the same deployment and set is open.
    """
    revision = evalsets.current(tx, policy.name)
    if revision is None or revision.cases == 0:
        raise Conflict(_why_empty(tx, deployment, policy))
    open_run = runs.open_pair(tx, deployment, policy.name)
    if open_run is not None:
        raise Conflict(f"run {open_run.id!r} of this deployment and set is still {open_run.state.value}; wait for it")
    return _manual_run(deployment, policy, revision, now)


def _why_empty(tx: Tx, deployment: str, policy: SetPolicy) -> str:
    if policy.kind is not SetKind.DYNAMIC:
        return f"eval set {policy.name!r} has no cases; import some with `driftd sets import {policy.name} FILE`"
    count = candidates.counts(tx).get(deployment, CandidateCounts())
    if count.accepted:
        what = f"{count.accepted} accepted corrections enter with the next scheduled replay"
    elif count.proposed:
        what = f"{count.proposed} corrections wait for a review; accept them with `driftd candidates`"
    else:
        what = f"no correction of {deployment!r} is accepted; `driftd candidates list` lists proposed ones"
    return f"eval set {policy.name!r} has no cases: {what}"


def _manual_run(deployment: str, policy: SetPolicy, revision: Revision, now: datetime) -> Run:
    return Run(
        id=new_id("run", now),
        deployment=deployment,
        set_name=policy.name,
        set_kind=policy.kind,
        revision=revision.revision,
        trigger=Trigger.MANUAL,
        planned_at=now,
        state=RunState.PLANNED,
        trace_prefix=secrets.token_hex(8),
        samples=policy.samples,
        cases=revision.cases,
    )


def run_items(tx: Tx, found: Sequence[Run]) -> list[RunItem]:
    """Return the runs as items of the API."""
    counted = outcomes.breakdown(tx, [run.id for run in found])
    labels = labels_of(tx, (run.deployment for run in found))
    ids = [run.id for run in found]
    verdicts, spent = findings.verdicts_of_runs(tx, ids), spending.of_runs(tx, ids)
    return [
        encode.run(run, counted[run.id], labels, verdict=verdicts.get(run.id), spent=spent.get(run.id)) for run in found
    ]
