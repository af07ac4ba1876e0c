"""Candidates: cases that corrections propose for the dynamic set of a deployment, and the review log."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

import pyarrow as pa

from monitor.domain.candidate_basis import ALONE
from monitor.domain.feedback import Candidate
from monitor.domain.review import EVERY_CANDIDATE, CandidateCounts, CandidateFilter, Decision
from monitor.store.aggregates.settled_days import WHITE_SPACE
from monitor.store.engine.append import Inserted
from monitor.store.engine.pagination import Page, PageQuery, fetch_page
from monitor.store.engine.schema import IDS, TABLES, table_of
from monitor.store.engine.transaction import Tx
from monitor.store.sets import candidate_groups
from monitor.store.sets.candidate_row import candidate_row, decision_row, to_candidate, to_decision


def insert(tx: Tx, rows: Sequence[Candidate]) -> Inserted:
    """Add the candidates whose question is new for the deployment.

    A stored candidate without an expectation, that no reviewer changed, gets the expectation of a later correction.
    """
    if not rows:
        return Inserted(accepted=0, duplicates=0)
    first: dict[tuple[str, str], Candidate] = {}
    for row in sorted(rows, key=lambda row: not row.ready):  # stable: the first of two ready ones is kept
        first.setdefault((row.deployment, row.content_hash), row)
    batch = _table([*first.values()])
    completed = tx.execute("set_missing_expectations", batch=batch)
    accepted = completed + tx.execute("insert_new_candidates", batch=batch)
    return Inserted(accepted=accepted, duplicates=len(rows) - accepted)


def page(tx: Tx, q: PageQuery, wanted: CandidateFilter = EVERY_CANDIDATE) -> Page[Candidate]:
    rest: dict[str, Any] = {
        "state": wanted.state and wanted.state.value,
        "category": wanted.category,
        "failure_category": wanted.failure_category,
        "severity": wanted.severity and wanted.severity.value,
        "ready": wanted.ready,
        "given": wanted.given,
        "held": wanted.held,
        "conflict": wanted.conflict,
        "sampled": wanted.sampled,
        "reproduction": wanted.reproduction and wanted.reproduction.value,
        "space": WHITE_SPACE,
    }
    found = fetch_page(tx, "page_candidates", q, to_candidate, at="proposed_at", **rest)
    return replace(found, items=_with_groups(tx, found.items))


def by_ids(tx: Tx, ids: Sequence[str]) -> dict[str, Candidate]:
    """Return the stored candidates with these ids."""
    batch = table_of(IDS, [{"id": id_} for id_ in dict.fromkeys(ids)])
    found = _with_groups(tx, [to_candidate(row) for row in tx.query("candidates_by_ids", batch=batch)])
    return {row.id: row for row in found}


def accepted(tx: Tx, deployment: str, limit: int) -> list[Candidate]:
    """Return the newest accepted candidates."""
    return [to_candidate(row) for row in tx.query("accepted_candidates", deployment=deployment, limit=limit)]


def counts(tx: Tx) -> Mapping[str, CandidateCounts]:
    """Return counts by deployment. A deployment without candidates is absent."""
    rows = tx.query("count_candidates", space=WHITE_SPACE)
    return {row.pop("deployment"): CandidateCounts(**row) for row in rows}


def origins(tx: Tx, deployment: str) -> dict[str, tuple[datetime, str | None]]:
    """Return the time and the user of each accepted candidate, by the digest of its question."""
    rows = tx.query("origins_of_candidates", deployment=deployment)
    return {row["content_hash"]: (row["at"], row["user"]) for row in rows}


def rejected_questions(tx: Tx, deployment: str) -> list[str]:
    """Return the digests of the questions of the rejected candidates."""
    return [row["content_hash"] for row in tx.query("rejected_candidates", deployment=deployment)]


def record(tx: Tx, reviewed: Sequence[Candidate], decisions: Sequence[Decision]) -> None:
    """Store the decisions and edits of reviewers, with an entry in the review log for each."""
    if reviewed:
        tx.execute("review_candidates", batch=_table(reviewed))
        log = table_of(TABLES["candidate_decision"], [decision_row(decision) for decision in decisions])
        tx.insert("candidate_decision", log)


def decisions(tx: Tx, q: PageQuery, candidate_id: str | None = None) -> Page[Decision]:
    """Return the review log, the newest entry first; of one candidate if it is named."""
    return fetch_page(tx, "page_candidate_decisions", q, to_decision, at="at", candidate_id=candidate_id)


def _with_groups(tx: Tx, rows: Sequence[Candidate]) -> list[Candidate]:
    groups = candidate_groups.groups(tx, [row.id for row in rows])
    return [replace(row, group=groups.get(row.id, ALONE)) for row in rows]


def _table(rows: Sequence[Candidate]) -> pa.Table:
    return table_of(TABLES["candidate"], [candidate_row(row) for row in rows])
