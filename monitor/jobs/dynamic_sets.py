"""Brings a dynamic set up to date with the accepted candidates."""

from datetime import datetime

from monitor.domain.feedback import Candidate
from monitor.domain.policy import SetPolicy
from monitor.store import candidates, evalsets, sealed_sets
from monitor.store.database import Tx
from replay.evalsets.dynamic import build
from replay.types import Case, Message


def refresh_dynamic_set(tx: Tx, *, deployment: str, eval_set: SetPolicy, now: datetime) -> bool:
    """Write a new revision when the accepted candidates ask for one; True when they did."""
    current = evalsets.current(tx, eval_set.name)
    before = sealed_sets.read_cases(tx, current.name, current.revision, None) if current else []
    accepted = [_case(c) for c in candidates.accepted(tx, deployment, eval_set.max_cases)]
    refreshed = build(before, accepted, eval_set.max_cases)
    if not refreshed.cases or not refreshed.changed:
        return False
    _, new = sealed_sets.write_revision(
        tx, name=eval_set.name, kind=eval_set.kind, cases=refreshed.cases, sealer=None, now=now, origin="corrections"
    )
    return new


def _case(candidate: Candidate) -> Case:
    return Case(
        id=f"case-{candidate.content_hash[:12]}",
        input=(Message(role="user", content=candidate.input_text),),
        references=(candidate.expected,),
        category=candidate.category,
        provenance=f"interaction {candidate.interaction_id}",
    )
