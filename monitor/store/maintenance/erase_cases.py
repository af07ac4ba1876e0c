"""Removes cases from the current revision and from all past revisions of a dynamic set."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from monitor.domain.evalset import Revision
from monitor.store.aggregates import settled_runs
from monitor.store.engine.transaction import Tx
from monitor.store.judging import answers as judge_answers
from monitor.store.sets import refreshes, sealed_sets, stored_health
from monitor.store.sets import revisions as evalsets
from replay.evalsets.canonical import revision_hash


def remove_cases(tx: Tx, set_name: str, case_ids: Sequence[str], at: datetime) -> dict[str, int]:
    """Remove the cases from every revision, with their outcomes and scores. Return the number of removed rows by table.

    The rest of a revision is other content and gets its own hash, because a revision is named by the SHA-256 of its
    content. The runs of the old revision then refer to the new one. A run without any case left is failed.
    """
    ids = list(case_ids)
    settled_runs.unsettle_set(tx, set_name)
    tx.new_step()
    removed = {
        "outcome": tx.execute("remove_outcomes_of_cases", name=set_name, ids=ids),
        "score": tx.execute("remove_scores_of_cases", name=set_name, ids=ids),
        "pairwise_verdict": tx.execute("remove_pairwise_verdicts_of_cases", name=set_name, ids=ids),
        "sentinel_verdict": tx.execute("remove_sentinel_verdicts_of_cases", name=set_name, ids=ids),
        "judge_sentinel": tx.execute("remove_sentinels_of_cases", name=set_name, ids=ids),
        "outcome_review": tx.execute("remove_outcome_reviews_of_cases", name=set_name, ids=ids),
        "rescored_score": tx.execute("remove_rescored_scores_of_cases", name=set_name, ids=ids),
        "eval_case": 0,
        "judge_answer": judge_answers.forget_cases(tx, set_name, ids),
    }
    stored_health.forget(tx, set_name)
    refreshes.forget(tx, set_name, ids)
    for row in tx.query("revisions_with_cases", name=set_name, ids=ids):
        removed["eval_case"] += _replace(tx, evalsets.to_revision(row), frozenset(ids), at)
    return removed


def _replace(tx: Tx, old: Revision, gone: frozenset[str], at: datetime) -> int:
    """Replace the revision by its remaining cases. Return the number of removed cases."""
    stored = [case for case in evalsets.cases(tx, old.name, old.revision) if case.case_id not in gone]
    cases = [case for case in sealed_sets.read_cases(tx, old.name, old.revision, None) if case.id not in gone]
    before = tx.execute("remove_cases_of_revision", name=old.name, revision=old.revision)
    tx.execute("remove_revision", name=old.name, revision=old.revision)
    if not cases:
        why = "every case of its revision was erased"
        tx.execute("fail_runs_of_revision", name=old.name, revision=old.revision, at=at, error=why)
        tx.execute("rename_parent", name=old.name, old=old.revision, new=old.parent)
        refreshes.rename(tx, old.name, old.revision, old.parent)
        return before
    new = revision_hash(cases)
    known = evalsets.get(tx, old.name, new)
    if known is None:
        left = [replace(case, revision=new, position=n) for n, case in enumerate(stored)]
        evalsets.insert(tx, replace(old, revision=new, cases=len(left)), left)
    elif known.created_at < old.created_at:  # the newer one is the current one
        tx.execute("make_revision_current", name=old.name, revision=new, at=old.created_at)
    tx.execute("rename_parent", name=old.name, old=old.revision, new=new)
    refreshes.rename(tx, old.name, old.revision, new)
    tx.execute("move_runs", name=old.name, old=old.revision, new=new, cases=len(cases))
    return before - len(stored)
