"""Removes rows beyond their limits: one statement for each table, never row by row."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from monitor.domain.policy import RetentionLimit, RetentionPolicy
from monitor.store.access import audit
from monitor.store.aggregates import settled_days, settled_runs
from monitor.store.engine.schema import LIMITS, table_of
from monitor.store.engine.transaction import Row, Tx
from monitor.store.findings import receiver_state
from monitor.store.judging import answers as judge_answers
from monitor.store.judging import spending as judge_spending
from monitor.store.maintenance.fold import fold
from monitor.store.runs import spending
from monitor.store.sets import candidate_groups


def expire(tx: Tx, policy: RetentionPolicy, now: datetime) -> dict[str, int]:
    """Remove the rows that the policy no longer keeps. Return the number of removed rows by table.

    Candidates are removed before interactions, because an interaction is kept as long as its candidate. Feedback is
    removed after them, because it is removed with its interaction. So are the turns of users and their reviews.
    Expiry that was interrupted between two steps continues with the next call.
    """
    fold(tx)
    tx.new_step()
    deployments = [row["deployment"] for row in tx.query("stored_deployments")]

    def batch(part: str) -> Any:
        return table_of(LIMITS, limits(policy, part, deployments, now))

    removed = _expire_runs(tx, batch("outcomes"), policy.keep_runs)
    removed["eval_case"] = _expire_revisions(tx, policy.limit("outcomes"), now)
    removed["candidate"] = tx.execute("expire_candidates", batch=batch("candidates"))
    removed["candidate_decision"] = tx.execute("remove_orphaned_decisions")
    removed["candidate_review"] = tx.execute("remove_orphaned_reviews")
    removed["sampled_candidate"] = tx.execute("remove_orphaned_samples")
    removed["reproduction"] = tx.execute("remove_orphaned_reproductions")
    removed["reproduction_reply"] = tx.execute("remove_orphaned_replies")
    candidate_groups.forget_orphans(tx)
    tx.new_step()
    removed["interaction"] = tx.execute("expire_interactions", batch=batch("interactions"))
    removed["feedback"] = tx.execute("expire_feedback", batch=batch("feedback"))
    if removed["interaction"] or removed["feedback"]:
        settled_days.unsettle_after_removal(tx)
    removed["turn_signal"] = tx.execute("expire_turn_signals")
    removed["dead_letter"] = tx.execute("expire_dead_letters", **_limit(policy.limit("dead_letters"), now))
    removed["span_content"] = tx.execute("expire_content", **_limit(policy.limit("span_content"), now))
    removed["turn_review"] = tx.execute("remove_orphaned_turn_reviews")
    removed["idempotency"] = tx.execute("expire_idempotency", before=_limit(policy.limit("idempotency"), now)["before"])
    removed["replay_spend"] = spending.expire(tx, now)
    removed["judge_spend"] = judge_spending.expire(tx, now)
    removed["judge_answer"] = judge_answers.expire(tx, now, _limit(policy.limit("outcomes"), now)["before"])
    removed["audit_entry"] = audit.prune(tx, _limit(policy.limit("audit"), now)["before"], now)
    removed["receiver_state"] = receiver_state.expire(tx, now)
    return {table: count for table, count in removed.items() if count}


def stored_rows(tx: Tx) -> int:
    """Return the number of rows in the tables that retention and erasure remove from."""
    return int(tx.query("count_expirable")[0]["stored"])


def limits(policy: RetentionPolicy, part: str, deployments: Sequence[str], now: datetime) -> list[Row]:
    """Return the limits of a part for each deployment: the time before which rows expire, and the maximum number of
    rows.
    """
    return [{"deployment": name} | _limit(policy.limit(part, name), now) for name in deployments]


def _limit(keep: RetentionLimit, now: datetime) -> Row:
    before = None if keep.max_age_s is None else now - timedelta(seconds=keep.max_age_s)
    return {"before": before, "max_rows": keep.max_rows}


def _expire_runs(tx: Tx, batch: Any, keep_runs: int) -> dict[str, int]:
    ids = [row["id"] for row in tx.query("expired_runs", batch=batch, keep_runs=keep_runs)]
    settled_runs.unsettle(tx, ids)
    return {
        "outcome": tx.execute("remove_outcomes_of_runs", ids=ids),
        "score": tx.execute("remove_scores_of_runs", ids=ids),
        "pairwise_verdict": tx.execute("remove_pairwise_verdicts_of_runs", ids=ids),
        "rescored_score": tx.execute("remove_rescored_scores_of_runs", ids=ids),
        "rescore": tx.execute("remove_rescores_of_runs", ids=ids),
        "run": tx.execute("remove_runs", ids=ids),
    }


def _expire_revisions(tx: Tx, keep: RetentionLimit, now: datetime) -> int:
    """Remove past revisions of dynamic sets whose runs are all gone."""
    removed = 0
    for row in tx.query("expired_revisions", before=_limit(keep, now)["before"]):
        removed += tx.execute("remove_cases_of_revision", name=row["name"], revision=row["revision"])
        tx.execute("remove_revision", name=row["name"], revision=row["revision"])
    return removed
