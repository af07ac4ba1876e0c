"""Cases that corrections propose for the dynamic set of a deployment; a question enters once."""

from collections.abc import Sequence
from datetime import datetime

from monitor.domain.feedback import Candidate, CandidateState
from monitor.errors import NotFound
from monitor.store.append import Inserted, row_of
from monitor.store.columns import TABLES, table_of
from monitor.store.page import Page, PageQuery, fetch_page
from monitor.store.transaction import Row, Tx


def insert(tx: Tx, rows: Sequence[Candidate]) -> Inserted:
    """Add the candidates whose question the deployment does not have yet."""
    if not rows:
        return Inserted(accepted=0, duplicates=0)
    first = {(row.deployment, row.content_hash): row for row in reversed(rows)}
    batch = table_of(TABLES["candidate"], [row_of(row) for row in first.values()])
    accepted = tx.execute("insert_new_candidates", batch=batch)
    return Inserted(accepted=accepted, duplicates=len(rows) - accepted)


def page(tx: Tx, q: PageQuery) -> Page[Candidate]:
    return fetch_page(tx, "page_candidates", q, to_candidate, at="proposed_at")


def accepted(tx: Tx, deployment: str, limit: int) -> list[Candidate]:
    """The newest accepted candidates."""
    return [to_candidate(row) for row in tx.query("accepted_candidates", deployment=deployment, limit=limit)]


def origins(tx: Tx, deployment: str) -> dict[str, tuple[datetime, str | None]]:
    """By the digest of what each accepted candidate asks: when it was proposed, and the user who asked it."""
    rows = tx.query("origins_of_candidates", deployment=deployment)
    return {row["content_hash"]: (row["at"], row["user"]) for row in rows}


def decide(tx: Tx, candidate_id: str, state: CandidateState, by: str, at: datetime) -> None:
    """Accept or reject one; a later decision replaces an earlier one."""
    if not tx.execute("decide_candidate", id=candidate_id, state=state.value, by=by, at=at):
        raise NotFound(f"candidate {candidate_id!r} is unknown; GET /api/v1/candidates lists them")


def to_candidate(row: Row) -> Candidate:
    return Candidate(**row | {"state": CandidateState(row["state"])})
