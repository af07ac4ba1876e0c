"""Feedback: appended once each, then linked to what it speaks of."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from monitor.domain.feedback import CorrectionDay, Feedback, FeedbackKind
from monitor.domain.interaction import Interaction
from monitor.domain.link import Link
from monitor.store.append import Inserted, append_new, row_of
from monitor.store.columns import IDS, LINKS, table_of
from monitor.store.interaction_row import to_interaction
from monitor.store.page import Page, PageQuery, fetch_page
from monitor.store.transaction import Row, Tx

RESEND_MARGIN: Final = timedelta(days=1)
WHITE_SPACE: Final = " \t\r\n"  # DuckDB's trim takes off spaces alone


def insert(tx: Tx, rows: Sequence[Feedback]) -> Inserted:
    """Append the signals that are not there yet."""
    plain = [row_of(row) for row in rows]
    return append_new(tx, "insert_new_feedback", "feedback", plain, at="at", margin=RESEND_MARGIN)


def unlinked(tx: Tx, limit: int) -> list[Feedback]:
    """The newest signals without an interaction: what can never be linked does not stand before what can."""
    return [to_feedback(row) for row in tx.query("unlinked_feedback", limit=limit)]


def set_links(tx: Tx, links: Sequence[Link]) -> None:
    """Write down which interaction each signal belongs to."""
    if links:
        tx.execute("link_feedback", batch=table_of(LINKS, [row_of(link) for link in links]))


def corrections_without_candidate(tx: Tx, deployment: str, limit: int) -> list[tuple[Feedback, Interaction]]:
    """The newest linked signals that say what the output of a readable question should have been, if that question is
    no candidate of the deployment yet. Whether they really propose a case is for monitor/feedback to say.
    """
    rows = tx.query("corrections_without_candidate", deployment=deployment, limit=limit, space=WHITE_SPACE)
    corrections = [to_feedback(row) for row in rows]
    wanted = table_of(IDS, [{"id": item.linked_interaction_id} for item in corrections])
    found = {row["id"]: to_interaction(row) for row in tx.query("interactions_by_ids", batch=wanted)}
    return [(item, found[str(item.linked_interaction_id)]) for item in corrections]


def correction_days(tx: Tx, deployment: str, since: datetime, until: datetime) -> list[CorrectionDay]:
    """Of each day in [since, until) with production traffic, oldest first."""
    return [
        CorrectionDay(**row) for row in tx.query("correction_days", deployment=deployment, since=since, until=until)
    ]


def page(tx: Tx, q: PageQuery) -> Page[Feedback]:
    return fetch_page(tx, "page_feedback", q, to_feedback, at="at")


def count(tx: Tx) -> int:
    return int(tx.query("count_feedback")[0]["feedback"])


def to_feedback(row: Row) -> Feedback:
    return Feedback(**row | {"kind": FeedbackKind(row["kind"])})
